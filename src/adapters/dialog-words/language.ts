import { foldText } from "#domain/values/fold.ts";

/** What a text is written in, as far as it matters: `other` is neither English nor Spanish, with what it looks like. */
export type Language =
  | "english"
  | "spanish"
  | "french"
  | "german"
  | "portuguese"
  | "italian"
  | "vietnamese"
  | "chinese"
  | "other";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const WORDS: readonly (readonly [Language, ReadonlySet<string>])[] = [
  [
    "spanish",
    words(
      "hola si quiero quisiera gracias por favor cuanto cuesta cuando donde quien que es mi casa su el la los las un una de en para con pero ahora no puedo tengo soy estoy esta me interesa llame llameme manana lunes martes miercoles jueves viernes sabado domingo mil dolares vender comprar necesito hablo espanol bien buenos dias buenas tardes como muy mas ingles tambien prefiero a las tarde noche somos tenemos se unas unos todavia hay fue han tejas dueno duena rento vivo carro techo seguro cita numero correo",
    ),
  ],
  [
    "french",
    words(
      "bonjour oui merci je suis ne pas vous est une les des pour avec mais maison combien quand qui pouvez parlez francais voudrais veux voulez devis svp merci mon ma votre notre c cest un",
    ),
  ],
  [
    "german",
    words(
      "hallo ja nein danke ich bin nicht sie ist ein eine und der die das wie viel wann wer bitte haus mein kein kann sprechen deutsch mochte",
    ),
  ],
  [
    "portuguese",
    words(
      "ola sim nao obrigado obrigada eu sou voce quanto custa quando quem minha meu uma falo portugues quero vender estou tudo bom",
    ),
  ],
  ["italian", words("ciao si grazie sono non quanto costa quando chi mia mio vorrei parlo italiano buongiorno")],
  ["vietnamese", words("xin chao toi khong co ban la cam on bao nhieu nha muon noi tieng viet gi")],
];

/** English words that Spanish has, too, or that decide alone. */
const ENGLISH = words(
  "the is are you i im my to and it of for that this have do not can what how yes yeah your we on at a in was with me please dont be so just if but about want would like need he she they going no sell house call number when where who",
);
const CHINESE = /\p{Script=Han}/u;
const OTHER_SCRIPT = /[^\p{Script=Latin}\p{Script=Han}\P{L}]/u;

/** By the commonest words of each; short and doubtful texts are English. */
export function languageOf(text: string): Language {
  const read = text.slice(0, 1_000);
  if (CHINESE.test(read)) return "chinese";
  const folded = foldText(read).split(" ");
  const letters = read.match(/\p{L}/gu)?.length ?? 0;
  if (letters > 3 && OTHER_SCRIPT.test(read) && (read.match(/\p{Script=Latin}/gu)?.length ?? 0) * 2 < letters)
    return "other";
  const english = folded.filter((word) => ENGLISH.has(word)).length;
  if (english === 0 && /[íóúñ¿¡]/i.test(read) && folded.some((word) => WORDS[0]![1].has(word))) return "spanish";
  let best: Language = "english";
  let most = Math.max(english, 1);
  for (const [language, known] of WORDS) {
    const count = folded.filter((word) => known.has(word)).length;
    if (count > most && count * 4 >= folded.length) {
      best = language;
      most = count;
    }
  }
  if (
    best === "english" &&
    /^(?:si|hola|gracias|claro|bueno)(?: (?:si|gracias|claro|bueno|por favor))*$/.test(folded.join(" "))
  ) {
    return "spanish";
  }
  return best;
}

/** Said to whoever writes another language: that a person will answer, in that language. */
export const ONLY_ENGLISH: Readonly<Record<Exclude<Language, "english" | "spanish">, string>> = {
  french: "Désolé, je parle seulement anglais et un peu espagnol. Une personne de notre équipe vous répondra.",
  german: "Entschuldigung, ich spreche nur Englisch und etwas Spanisch. Jemand aus unserem Team meldet sich bei Ihnen.",
  portuguese: "Desculpe, eu só falo inglês (English) e um pouco de espanhol. Uma pessoa da nossa equipe vai responder.",
  italian: "Mi dispiace, parlo solo inglese (English) e un po' di spagnolo. Una persona del nostro team le risponderà.",
  vietnamese: "Xin lỗi, tôi chỉ nói tiếng Anh (English). Một người trong nhóm chúng tôi sẽ trả lời bạn.",
  chinese: "抱歉，我只会说英语 (English)。我们的同事会回复您。",
  other: "Sorry, I only speak English and some Spanish. A person from our team will answer you.",
};
