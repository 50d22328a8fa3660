import { foldText } from "#domain/values/fold.ts";
import type { Example } from "./examples.ts";

/** An example as the network sees it: folded, and whether it asks something. */
export type Seen = { stop: boolean; language: string; folded: string; asks: boolean };

/** What is said of a text is said of a call, too. */
const TWINS: Readonly<Record<string, string>> = {
  en: "text call texting calling texts calls texted called message phone",
  es: "escriban llamen escriba llame escribir llamar escribirme llamarme mensajes llamadas mensaje llamada escribas llames escribiendo llamando",
  fr: "ecrivez appelez mecrivez mappelez ecrire appeler mecrire mappeler textos appels messages appels necrivez nappelez ecris appelle mecris mappelle",
};

/** What stands beside a thought and changes nothing about it. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  en: "please|pls|thanks|ok|hey|hi|um|yes|no|look|just|now|sir|uh|thank you|not interested|sorry|so|well|bro|lol|who is this|good morning|im at work|i dont know you".split(
    "|",
  ),
  es: "por favor|porfa|gracias|hola|oiga|mire|ya|senor|bueno|si|no|no me interesa|buenas|disculpe|pues|quien es|estoy ocupado".split(
    "|",
  ),
  fr: "svp|merci|bonjour|allo|ok|euh|bon|non|oui|sil vous plait|la|madame|pas interesse|desole|qui etes vous|je suis au travail".split(
    "|",
  ),
};

const twinsOf = new Map(
  Object.entries(TWINS).map(([language, words]) => {
    const twins = new Map<string, string>();
    const list = words.split(" ");
    for (let i = 0; i < list.length; i += 2) {
      twins.set(list[i]!, list[i + 1]!);
      if (!twins.has(list[i + 1]!)) twins.set(list[i + 1]!, list[i]!);
    }
    return [language, twins];
  }),
);

/** Each example as it is and once more as somebody else might write it: a twin verb, a courtesy, a second thought, a slip of the thumb. */
export function varied(examples: readonly Example[], random: () => number): Seen[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const plain = examples.map(({ stop, language, text }) => ({
    stop,
    language,
    folded: foldText(text),
    asks: text.includes("?"),
  }));
  const besideOf = (language: string) => pick(BESIDE[language] ?? BESIDE.en!);
  const others = Map.groupBy(plain, ({ language }) => language);
  const changed = plain.map(({ stop, language, folded, asks }): Seen => {
    let words = folded.split(" ");
    if (random() < 0.35) words = words.map((word) => twinsOf.get(language)?.get(word) ?? word);
    const kind = random();
    if (kind < 0.3) words = random() < 0.5 ? [besideOf(language), ...words] : [...words, besideOf(language)];
    else if (kind < 0.5) {
      const other = pick(others.get(language)!);
      stop ||= other.stop;
      asks ||= other.asks;
      words = random() < 0.5 ? [...words, other.folded] : [other.folded, ...words];
    }
    if (random() < 0.3) {
      const at = Math.floor(random() * words.length);
      words[at] = slipped(words[at]!, random);
    }
    if (random() < 0.05 && words.length > 1) {
      const at = Math.floor(random() * (words.length - 1));
      words.splice(at, 2, `${words[at]}${words[at + 1]}`);
    }
    if (random() < 0.15) asks = false;
    return { stop, language, folded: words.join(" "), asks };
  });
  return [...plain, ...changed, ...strange(plain, random)];
}

/** One in so many examples is made of words that stand together by chance: where nothing is known, nothing is wished. */
const STRANGE = 8;

function strange(plain: readonly Seen[], random: () => number): Seen[] {
  const weights = new Map<string, number>();
  for (const { stop, folded } of plain)
    for (const word of folded.split(" ")) weights.set(word, (weights.get(word) ?? 0) + (stop ? 2 : -1));
  const words = [...weights].filter(([, weight]) => weight < 0).map(([word]) => word);
  return Array.from({ length: Math.floor(plain.length / STRANGE) }, () => ({
    stop: false,
    language: "en",
    folded: Array.from(
      { length: 1 + Math.floor(random() * 8) },
      () => words[Math.floor(random() * words.length)]!,
    ).join(" "),
    asks: random() < 0.1,
  }));
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** A letter that is missing, in the wrong place, doubled, or another one. */
function slipped(word: string, random: () => number): string {
  if (word.length < 3) return word;
  const at = Math.floor(random() * word.length);
  const kind = random();
  if (kind < 0.3) return word.slice(0, at) + word.slice(at + 1);
  if (kind < 0.55) return word.slice(0, at) + (word[at + 1] ?? "") + word[at] + word.slice(at + 2);
  if (kind < 0.75) return word.slice(0, at + 1) + word.slice(at);
  return word.slice(0, at) + LETTERS[Math.floor(random() * LETTERS.length)] + word.slice(at + 1);
}
