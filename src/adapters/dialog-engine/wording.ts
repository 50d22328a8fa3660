import { foldText } from "#domain/values/fold.ts";
import type { State } from "./state.ts";

type Variants = { english: readonly string[]; spanish: readonly string[] };

/** What the engine says beside questions and facts. Of each, the first that was not said before is taken. */
const WORDINGS = {
  thanks: {
    english: ["Thanks.", "Got it.", "Okay, thank you.", "Good to know.", "Understood.", "All right.", "Thank you."],
    spanish: ["Gracias.", "Entendido.", "Muy bien, gracias.", "De acuerdo.", "Perfecto."],
  },
  noted: {
    english: ["{}, noted.", "{}, thanks.", "Okay, {}.", "All right, {}."],
    spanish: ["{}, anotado.", "{}, gracias.", "Muy bien, {}."],
  },
  nice_to_meet: { english: ["Nice to meet you, {}.", "Thanks, {}."], spanish: ["Mucho gusto, {}.", "Gracias, {}."] },
  changed: {
    english: ["Okay, I changed that to {}.", "All right, {} instead.", "Sure, {} then."],
    spanish: ["De acuerdo, lo cambié a {}.", "Muy bien, entonces {}."],
  },
  welcome_back: { english: ["Glad to hear it.", "Good to hear from you."], spanish: ["Me alegro.", "Qué bueno."] },
  no_problem: {
    english: ["No problem.", "That's fine.", "No worries.", "That's all right."],
    spanish: ["No hay problema.", "Está bien.", "No se preocupe."],
  },
  not_clear: {
    english: ["Sorry, I'm not sure I follow.", "Sorry, I didn't get that.", "I'm afraid I didn't understand."],
    spanish: ["Perdón, no le entendí.", "Disculpe, no estoy seguro de entender."],
  },
  pass_on: {
    english: [
      "I don't have that here, I'll ask our team to answer.",
      "That's a question for our team, I'll pass it on.",
      "I'll note that question for our team, too.",
      "Our team can tell you more about that.",
    ],
    spanish: [
      "No tengo esa información, se la pediré a nuestro equipo.",
      "Pasaré esa pregunta a nuestro equipo.",
      "Nuestro equipo le podrá decir más.",
    ],
  },
  forbidden: {
    english: [
      "I can't say anything about that here, our team will go over it with you.",
      "That is something I'm not able to answer, our team will.",
      "I'm not able to go further into that, a person from our team can.",
    ],
    spanish: ["De eso no puedo hablar aquí, nuestro equipo le informará.", "Eso se lo puede decir nuestro equipo."],
  },
  sympathy: {
    english: [
      "I'm so sorry to hear that. Please take all the time you need, we won't press you.",
      "I'm truly sorry. There is no need to answer now.",
      "That is very hard, and I'm sorry. I'll leave you in peace.",
    ],
    spanish: ["Lo siento mucho. Tómese el tiempo que necesite.", "Lamento mucho oír eso, lo siento."],
  },
  apology: {
    english: ["I'm sorry about that.", "My apologies, that was not the intention.", "I'm sorry for the trouble."],
    spanish: ["Lo siento, le pido disculpas.", "Disculpe la molestia."],
  },
  how_to_stop: {
    english: [
      "Reply STOP and I won't text you again.",
      "With STOP you end these texts for good.",
      "One word, STOP, is enough if you want no more texts.",
    ],
    spanish: ["Responda STOP y no le escribiré más.", "Con STOP no recibe más mensajes."],
  },
  how_to_stop_calls: {
    english: ["Just tell me if we should not call you again.", "If you want no more calls, say so and we won't call."],
    spanish: ["Si no quiere más llamadas, dígamelo.", "Dígame si no debemos llamarle más."],
  },
  refused: {
    english: [
      "No problem, thanks for letting me know. Have a good day!",
      "All right, I'll leave it at that. All the best!",
      "Understood, thank you for your time.",
    ],
    spanish: ["No hay problema, gracias por avisarme. ¡Que tenga un buen día!", "Entendido, gracias por su tiempo."],
  },
  refused_call: {
    english: ["No problem, thanks for your time.", "All right, I'll leave it at that.", "Understood, thank you."],
    spanish: ["No hay problema, gracias por su tiempo.", "Entendido, muchas gracias."],
  },
  closing: {
    english: [
      "Thanks, that's all I need for now.",
      "Thank you, that's everything I need.",
      "Great, I have all I need.",
    ],
    spanish: ["Gracias, es todo lo que necesito por ahora.", "Muchas gracias, tengo todo lo que necesito."],
  },
  in_touch: {
    english: ["Someone from our team will be in touch.", "Our team will get back to you.", "You will hear from us."],
    spanish: ["Alguien de nuestro equipo se pondrá en contacto.", "Nuestro equipo le contactará."],
  },
  added: {
    english: ["I've noted that for our team.", "I've added that to my notes.", "That's on the list, too."],
    spanish: ["Lo anoté para nuestro equipo.", "También está anotado."],
  },
  welcome: {
    english: ["You're welcome. Have a good day!", "My pleasure, take care!"],
    spanish: ["De nada. ¡Que tenga un buen día!", "Con gusto. ¡Hasta luego!"],
  },
  farewell: {
    english: ["Have a good day!", "Take care, bye!"],
    spanish: ["¡Que tenga un buen día!", "¡Hasta luego!"],
  },
  when_it_suits: {
    english: [
      "No problem, just text me when it suits you.",
      "Sure, text me whenever you are ready.",
      "Fine, I'll wait for your text.",
    ],
    spanish: ["No hay problema, escríbame cuando le convenga.", "Claro, escríbame cuando quiera."],
  },
  until_then: {
    english: ["No problem, just write to me then.", "Sure, write to me whenever you can."],
    spanish: ["Claro, ¡hasta entonces!", "No hay problema, hablamos entonces."],
  },
  weeks_ahead: {
    english: [
      "No problem, I've noted that for our team. You can write to me then, too.",
      "Sure, our team has a note of it.",
    ],
    spanish: [
      "Claro, lo anoté para nuestro equipo. También me puede escribir entonces.",
      "No hay problema, nuestro equipo lo sabe.",
    ],
  },
  ask_later: {
    english: ["When would be a better time?", "When should I get back to you?"],
    spanish: ["¿Cuándo sería mejor?"],
  },
  ask_call: {
    english: ["What day and time would be good for a call?", "When should we call you?"],
    spanish: ["¿Cuándo le llamamos?"],
  },
  sure: { english: ["Sure.", "Of course.", "Gladly."], spanish: ["Claro.", "Por supuesto."] },
  calls_shortly: {
    english: ["Sure, you'll get a call from us shortly."],
    spanish: ["Claro, le llamaremos en un momento."],
  },
  put_through: { english: ["Sure, I'll put you through now."], spanish: ["Claro, le comunico ahora."] },
  cannot_put_through: {
    english: ["I can't put you through, but someone from our team can call you."],
    spanish: ["No puedo comunicarle, pero alguien de nuestro equipo le puede llamar."],
  },
  call_booked: {
    english: ["Great, we'll call you on {}.", "All right, you'll get our call on {}."],
    spanish: ["Muy bien, le llamaremos el {}.", "De acuerdo, la llamada es el {}."],
  },
  talk_then: { english: ["Talk to you then!", "Speak soon!"], spanish: ["¡Hasta entonces!", "¡Hablamos pronto!"] },
  passed_on: {
    english: ["Thanks, I'll pass that on to our team.", "Okay, I'll let our team know.", "Our team will see that."],
    spanish: ["Gracias, se lo diré a nuestro equipo.", "De acuerdo, avisaré a nuestro equipo."],
  },
  other_person: {
    english: [
      "Thanks, I'll pass that on to our team, I won't contact anybody else myself.",
      "Thank you, I've noted that for our team.",
    ],
    spanish: ["Gracias, se lo diré a nuestro equipo.", "Gracias, lo anoté para nuestro equipo."],
  },
  not_them: {
    english: [
      "Thanks for telling me, and sorry for the trouble. I'll let our team know.",
      "Thank you, our team will look into it.",
    ],
    spanish: [
      "Gracias por avisarme, y disculpe la molestia. Se lo diré a nuestro equipo.",
      "Gracias, nuestro equipo lo revisará.",
    ],
  },
  person_takes_over: {
    english: [
      "Let me have a person from our team look at this, they will answer you.",
      "A person from our team will take it from here.",
    ],
    spanish: ["Una persona de nuestro equipo le responderá.", "Alguien de nuestro equipo seguirá con usted."],
  },
  hello: { english: ["Hi there!", "Hello!", "Hi again!"], spanish: ["¡Hola!", "¡Hola de nuevo!"] },
  here: { english: ["Yes, I'm here.", "I can hear you, I'm here."], spanish: ["Sí, aquí estoy.", "Sí, le escucho."] },
  take_your_time: {
    english: ["Sure, take your time.", "Of course, I'll wait."],
    spanish: ["Claro, tómese su tiempo.", "Por supuesto, espero."],
  },
  recorded: {
    english: ["Yes, this call is recorded.", "It is, this call is recorded."],
    spanish: ["Sí, esta llamada se graba."],
  },
  not_recorded: {
    english: ["No, this call is not recorded.", "It isn't, this call is not recorded."],
    spanish: ["No, esta llamada no se graba."],
  },
  leave_it: {
    english: ["No problem, I'll leave it there. Thanks for your time."],
    spanish: ["No hay problema, lo dejamos aquí. Gracias por su tiempo."],
  },
  nothing_more: {
    english: ["Would you like to hear more about it?", "Shall I tell you more about it?"],
    spanish: ["¿Le cuento más?"],
  },
} satisfies Record<string, Variants>;

export type Wording = keyof typeof WORDINGS;

/** A time that is named after this is for a call. */
export const ASKS_FOR_A_TIME = "just text me when it suits you";
/** After one of these the agent asks nothing more of its own accord. */
const ENDINGS: readonly Wording[] = [
  "refused",
  "refused_call",
  "closing",
  "welcome",
  "farewell",
  "until_then",
  "weeks_ahead",
  "talk_then",
  "sympathy",
  "leave_it",
  "person_takes_over",
  "not_them",
];
const ENDING_SENTENCES = ENDINGS.flatMap((name) => [...WORDINGS[name].english, ...WORDINGS[name].spanish]);

export const endsIn = (text: string): boolean => ENDING_SENTENCES.some((sentence) => text.includes(sentence));

/** What says that somebody else will answer, or will hear of it. */
const NAMING_PERSONS: readonly Wording[] = ["pass_on", "forbidden", "passed_on", "other_person", "person_takes_over"];
const PERSON_SENTENCES: ReadonlySet<string> = new Set(
  NAMING_PERSONS.flatMap((name) => [...WORDINGS[name].english, ...WORDINGS[name].spanish]),
);

export const namesPerson = (sentence: string): boolean => PERSON_SENTENCES.has(sentence);

/** The first variant that this thread has not had, with `value` in its place; undefined when all were said. */
export function fresh(state: State, name: Wording, value = ""): string | undefined {
  const filled = WORDINGS[name][state.language].map((variant) => variant.replace("{}", value));
  return filled.find((variant) => !wasSaid(state, variant));
}

/** Whether one of a text's sentences was said before. */
export const wasSaid = ({ spoken }: State, text: string): boolean =>
  text.split(/(?<=[.!?])\s+/).some((sentence) => spoken.has(foldText(sentence)));
