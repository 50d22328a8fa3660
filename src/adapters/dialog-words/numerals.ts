/** A number that a text names in digits or in words, and where. */
export type Numeral = {
  value: number;
  from: number;
  to: number;
  /** It has a unit of its own that makes it large: `450k`, `two hundred thousand`. */
  scaled: boolean;
  /** Written in digits. */
  digits: boolean;
  /** The word right before and the word right behind, in lower case. */
  before: string;
  after: string;
  /** What stands between it and the word behind: nothing in `3pm`. */
  joined: boolean;
  /** The sign right before it. */
  sign: string;
};

type Token = { text: string; from: number; to: number };

const TOKENS = /\d+(?:[.,]\d+)*|\p{L}+(?:['’]\p{L}+)*|[$€£%#]/gu;
const SMALL = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    .split(" ")
    .map((word, value) => [word, value]),
);
const TENS = new Map(
  "twenty thirty forty fifty sixty seventy eighty ninety".split(" ").map((word, index) => [word, (index + 2) * 10]),
);
const SPANISH = new Map<string, number>([
  // "Once" is English here: nobody reads eleven in "just once".
  ...("uno dos tres cuatro cinco seis siete ocho nueve diez onze doce trece catorce quince"
    .split(" ")
    .map((word, index) => [word, index + 1]) as [string, number][]),
  ["sesenta", 60],
  ["setenta", 70],
  ["ochenta", 80],
  ["noventa", 90],
  ["veinte", 20],
  ["treinta", 30],
  ["cuarenta", 40],
  ["cincuenta", 50],
  ["cien", 100],
  ["ciento", 100],
  ["doscientos", 200],
  ["trescientos", 300],
  ["cuatrocientos", 400],
  ["quinientos", 500],
]);
const SPANISH_HUNDREDS = new Set("cien ciento doscientos trescientos cuatrocientos quinientos".split(" "));
const THOUSAND = new Set(["thousand", "thousands", "k", "grand", "mil", "thou"]);
const MILLION = new Set(["million", "millions", "m", "mm", "mill", "millones", "millon"]);

export const tokensOf = (text: string): Token[] =>
  [...text.matchAll(TOKENS)].map((match) => ({ text: match[0], from: match.index, to: match.index + match[0].length }));

/** Every number of a text, in its order. Linear: each word is looked at a few times at most. */
export function numeralsIn(text: string): Numeral[] {
  const tokens = tokensOf(text);
  const found: Numeral[] = [];
  for (let at = 0; at < tokens.length; ) {
    const read = readAt(tokens, at, text);
    if (read === undefined) {
      at++;
      continue;
    }
    const first = tokens[at]!;
    const last = tokens[read.next - 1]!;
    const behind = tokens[read.next];
    const ahead = tokens[at - 1];
    found.push({
      value: read.value,
      from: first.from,
      to: last.to,
      scaled: read.scaled,
      digits: /^\d/.test(first.text),
      before: wordBefore(tokens, at),
      after: behind?.text.toLowerCase() ?? "",
      joined: behind !== undefined && behind.from === last.to,
      sign: text.slice(ahead?.from ?? 0, first.from).trim().length <= 1 ? (ahead?.text ?? "") : "",
    });
    at = read.next;
  }
  return found;
}

const wordBefore = (tokens: readonly Token[], at: number): string => {
  const word = tokens[at - 1]?.text.toLowerCase() ?? "";
  return /^[$€£#]$/.test(word) ? (tokens[at - 2]?.text.toLowerCase() ?? "") : word;
};

function readAt(
  tokens: readonly Token[],
  start: number,
  text: string,
): { value: number; next: number; scaled: boolean } | undefined {
  let total = 0;
  let current = 0;
  let last: "none" | "digits" | "small" | "tens" | "hundred" | "scale" = "none";
  let scaled = false;
  let at = start;
  const first = tokens[at]!.text.toLowerCase();
  const second = tokens[at + 1]?.text.toLowerCase() ?? "";
  if (first === "half" || first === "quarter") {
    const scale = ["a", "of"].includes(second) ? 2 : 1;
    if (/^(?:million|mil|mill)$/.test(tokens[at + scale]?.text.toLowerCase() ?? "")) {
      return { value: first === "half" ? 500_000 : 250_000, next: at + scale + 1, scaled: true };
    }
    return undefined;
  }
  if ((first === "a" || first === "an") && /^(?:hundred|thousand|million|grand)$/.test(second)) at++;
  for (; at < tokens.length; at++) {
    const { text: raw, from } = tokens[at]!;
    const word = raw.toLowerCase();
    const previous = tokens[at - 1];
    // A sentence that ended, or a list, is another number.
    if (at > start && last !== "none" && /[.;:!?\n/,]/.test(text.slice(previous!.to, from))) break;
    // "Six point eight", "seven point two five".
    if (word === "point" && (last === "small" || last === "tens") && total === 0) {
      const decimals: number[] = [];
      for (let next = at + 1; decimals.length < 3; next++) {
        const digit = SMALL.get(tokens[next]?.text.toLowerCase() ?? "");
        if (digit === undefined || digit > 9) break;
        decimals.push(digit);
      }
      if (decimals.length === 0) break;
      return { value: Number(`${current}.${decimals.join("")}`), next: at + 1 + decimals.length, scaled: false };
    }
    if (/^\d/.test(word)) {
      if (last !== "none") break;
      current = Number(word.replaceAll(",", "").replace(/\.(?=.*\.)/g, ""));
      if (!Number.isFinite(current)) return undefined;
      last = "digits";
      continue;
    }
    const small =
      SMALL.get(word) ?? (last === "none" || last === "scale" || last === "hundred" ? SPANISH.get(word) : undefined);
    const tens = TENS.get(word);
    if (tens !== undefined) {
      if (last === "none" || last === "hundred" || last === "scale") current += tens;
      else if (last === "small" && current < 100 && current > 0) current = current * 100 + tens;
      else break;
      last = "tens";
    } else if (small !== undefined) {
      if (last === "tens" && small > 0 && small < 10) current += small;
      // "Five ten" is 510.
      else if (last === "small" && current > 0 && current < 10 && small >= 10) current = current * 100 + small;
      else if (last === "none" || last === "hundred" || last === "scale") current += small;
      else break;
      last = SPANISH_HUNDREDS.has(word) ? "hundred" : "small";
    } else if (word === "hundred") {
      if (last === "scale" || last === "hundred" || current > 99) break;
      current = (current === 0 ? 1 : current) * 100;
      last = "hundred";
    } else if (THOUSAND.has(word) || MILLION.has(word)) {
      if (
        (word === "k" || word === "m" || word === "mm") &&
        last !== "digits" &&
        last !== "tens" &&
        last !== "small" &&
        last !== "hundred"
      )
        break;
      if (last === "none" && !(at > start || word === "mil")) return undefined;
      // "1.2 mil" is English, "200 mil" Spanish.
      const isMillion =
        MILLION.has(word) ||
        (word === "mil" &&
          last === "digits" &&
          current < 10 &&
          !/^ *(?:d[oó]lares|pesos)/i.test(text.slice(tokens[at]!.to)));
      total += (current === 0 ? 1 : current) * (isMillion ? 1_000_000 : 1_000);
      current = 0;
      scaled = true;
      last = "scale";
    } else if (
      (word === "and" || word === "y") &&
      (last === "hundred" || last === "scale" || (word === "y" && last === "small"))
    ) {
      const next = tokens[at + 1]?.text.toLowerCase() ?? "";
      if (!SMALL.has(next) && !TENS.has(next) && !SPANISH.has(next)) break;
      // "between two hundred and three hundred" names two.
      if (/^hundred$/.test(tokens[at + 2]?.text.toLowerCase() ?? "")) break;
    } else if (word === "a" && last === "none" && at === start) {
      return undefined;
    } else break;
  }
  if (last === "none") return undefined;
  if (/^and a half\b/i.test(text.slice(tokens[at]?.from ?? text.length)) && !scaled)
    return { value: current + 0.5, next: at + 3, scaled };
  return { value: Math.round((total + current) * 100) / 100, next: at, scaled: scaled || last === "hundred" };
}

const DIGIT_WORDS = new Map([...[...SMALL].slice(0, 10), ["oh", 0], ["o", 0]] as [string, number][]);

/** Digits that are said one by one, or written in groups: `eight oh two oh two`, `303 555 0142`. At least `least` of them. */
export function digitRunsIn(text: string, least: number): { digits: string; from: number; to: number }[] {
  const found: { digits: string; from: number; to: number }[] = [];
  let run: { digits: string; from: number; to: number } | undefined;
  let doubled = 1;
  for (const { text: raw, from, to } of tokensOf(text)) {
    const word = raw.toLowerCase();
    if (run !== undefined && (word === "double" || word === "triple")) {
      doubled = word === "double" ? 2 : 3;
      run = { ...run, to };
      continue;
    }
    const spoken = DIGIT_WORDS.get(word);
    const digits = /^\d+$/.test(word) ? word : spoken === undefined ? tensDigits(word) : String(spoken).repeat(doubled);
    doubled = 1;
    const close = run !== undefined && /^[\s\-().,+]{0,3}$/.test(text.slice(run.to, from));
    if (digits === undefined || (word === "o" && run === undefined)) {
      if (run !== undefined && run.digits.length >= least) found.push(run);
      run = undefined;
    } else if (run !== undefined && close) run = { digits: run.digits + digits, from: run.from, to };
    else {
      if (run !== undefined && run.digits.length >= least) found.push(run);
      run = { digits, from, to };
    }
  }
  if (run !== undefined && run.digits.length >= least) found.push(run);
  return found;
}

/** `twelve`, `forty`: said as a pair of digits. `forty two` would be three; nobody reads a number so. */
const tensDigits = (word: string): string | undefined => {
  const value = SMALL.get(word) ?? TENS.get(word);
  return value === undefined ? undefined : String(value);
};

/** `five` -> `5`: one digit a word. */
export const DIGITS = new Map(
  "zero one two three four five six seven eight nine".split(" ").map((word, digit) => [word, String(digit)]),
);
