/** What an agent says without asking its model: in an opt-out, a silence, a failure. No line promises what may not come true. */
export type VoiceLines = {
  /** After an opt-out, once it has been committed. */
  optedOut: string;
  /** Before it, where the contact reports bad news. */
  sorryToHear: string;
  wrongNumber: string;
  goodbye: string;
  stillThere: string;
  canYouHear: string;
  nobodyThere: string;
  /** While a model thinks too long. */
  oneMoment: string;
  /** A model could not answer: once more. */
  sayAgain: string;
  /** ... and not again: in a call that was to be the one back. */
  technicalTrouble: string;
  /** ... and in any other, for which a callback is scheduled. */
  troubleCallBack: string;
  /** Stands in for a sentence that the gate refused. */
  cannotSay: string;
  callback: string;
  transfer: string;
  /** `name` of `organization`, on a call that nobody's template begins. */
  introduction(agent: { name: string; organization: string; outbound: boolean }): string;
  /** After it, to whom we have called: the way out, by a word that `wishOf` takes for one, and the contact's turn. */
  opening: string;
  /** For whom the call is, asked by a screening service. */
  callingFor(name: string): string;
};

const ENGLISH: VoiceLines = {
  optedOut: "Okay, I've taken you off our list, and you won't hear from us again.",
  sorryToHear: "I'm very sorry to hear that.",
  wrongNumber: "I'm sorry, I have the wrong number, and I won't call it again.",
  goodbye: "Goodbye.",
  stillThere: "Are you still there?",
  canYouHear: "Hello, can you hear me?",
  nobodyThere: "I can't hear you, so I'll let you go for now. Goodbye.",
  oneMoment: "One moment, please.",
  sayAgain: "Sorry, give me just a second.",
  technicalTrouble:
    "I'm sorry, I'm having technical trouble on my end. If you like, ask us to call you back at another time. Goodbye.",
  troubleCallBack: "I'm sorry, I'm having technical trouble on my end, so we'll call you back. Goodbye.",
  cannotSay: "I'm sorry, I can't help you with that.",
  callback: "Sure, we'll call you back then.",
  transfer: "Sure, I'll put you through now.",
  introduction: ({ name, organization, outbound }) =>
    outbound
      ? `Hello, this is ${name}, an automated assistant calling for ${organization}.`
      : `Hello, this is ${name}, the automated assistant of ${organization}. How can I help you?`,
  opening: "Say stop at any time and we won't call again. Do you have a moment?",
  callingFor: (name) => `I'm calling for ${name}.`,
};

const SPANISH: VoiceLines = {
  optedOut: "De acuerdo, lo he quitado de nuestra lista y no volverá a saber de nosotros.",
  sorryToHear: "Lo siento mucho.",
  wrongNumber: "Disculpe, tengo el número equivocado y no volveré a llamar.",
  goodbye: "Adiós.",
  stillThere: "¿Sigue ahí?",
  canYouHear: "¿Hola, me escucha?",
  nobodyThere: "No le escucho, así que lo dejamos por ahora. Adiós.",
  oneMoment: "Un momento, por favor.",
  sayAgain: "Disculpe, deme un segundo.",
  technicalTrouble: "Lo siento, tengo problemas técnicos. Si lo desea, pídanos que le llamemos en otro momento. Adiós.",
  troubleCallBack: "Lo siento, tengo problemas técnicos, así que le volveremos a llamar. Adiós.",
  cannotSay: "Lo siento, no puedo ayudarle con eso.",
  callback: "Claro, le llamaremos entonces.",
  transfer: "Claro, le comunico ahora mismo.",
  introduction: ({ name, organization, outbound }) =>
    outbound
      ? `Hola, soy ${name}, un asistente automático, y le llamo de parte de ${organization}.`
      : `Hola, soy ${name}, el asistente automático de ${organization}. ¿En qué puedo ayudarle?`,
  opening: "Diga alto en cualquier momento y no le volveremos a llamar. ¿Tiene un momento?",
  callingFor: (name) => `Llamo para hablar con ${name}.`,
};

const FRENCH: VoiceLines = {
  optedOut: "D'accord, je vous ai retiré de notre liste et vous n'entendrez plus parler de nous.",
  sorryToHear: "Je suis vraiment désolé.",
  wrongNumber: "Pardon, je me suis trompé de numéro et je ne rappellerai pas.",
  goodbye: "Au revoir.",
  stillThere: "Êtes-vous toujours là ?",
  canYouHear: "Allô, vous m'entendez ?",
  nobodyThere: "Je ne vous entends pas, je vous laisse donc pour l'instant. Au revoir.",
  oneMoment: "Un instant, s'il vous plaît.",
  sayAgain: "Pardon, laissez-moi une seconde.",
  technicalTrouble:
    "Désolé, j'ai un problème technique. Si vous le souhaitez, demandez-nous de vous rappeler plus tard. Au revoir.",
  troubleCallBack: "Désolé, j'ai un problème technique, nous vous rappellerons donc. Au revoir.",
  cannotSay: "Désolé, je ne peux pas vous aider pour cela.",
  callback: "Bien sûr, nous vous rappellerons à ce moment-là.",
  transfer: "Bien sûr, je vous passe quelqu'un.",
  introduction: ({ name, organization, outbound }) =>
    outbound
      ? `Bonjour, ici ${name}, un assistant automatique, de la part de ${organization}.`
      : `Bonjour, ici ${name}, l'assistant automatique de ${organization}. Que puis-je faire pour vous ?`,
  opening: "Dites stop à tout moment et nous ne vous rappellerons plus. Avez-vous un instant ?",
  callingFor: (name) => `J'appelle pour parler à ${name}.`,
};

const LINES: Readonly<Record<string, VoiceLines>> = { en: ENGLISH, es: SPANISH, fr: FRENCH };

/** The lines of a language tag; English where there are none. */
export const voiceLines = (language: string): VoiceLines => LINES[language.split("-")[0]!.toLowerCase()] ?? ENGLISH;
