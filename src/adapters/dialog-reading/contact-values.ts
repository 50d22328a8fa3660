import { foldText } from "#domain/values/fold.ts";
import { findLinks } from "#domain/values/link.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import { isNoise } from "./noise.ts";
import { digitRunsIn, tokensOf } from "./numerals.ts";
import type { ReadValue, Said } from "./said.ts";

const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/u;
const SPOKEN_SIGNS = new Map([
  ["dot", "."],
  ["period", "."],
  ["point", "."],
  ["underscore", "_"],
  ["dash", "-"],
  ["hyphen", "-"],
]);
const DIGITS = new Map(
  "zero one two three four five six seven eight nine".split(" ").map((word, digit) => [word, String(digit)]),
);
const DOMAINS =
  /^(?:gmail|yahoo|hotmail|outlook|icloud|aol|mail|proton|protonmail|comcast|msn|live|me|[a-z0-9-]{2,40})$/;
const TOP = /^(?:com|net|org|edu|ca|us|co|io|gov|example)$/i;
const LEADS_IN = new Set(
  "is its it's at to email mail e address me my use the um uh so yeah yes ok okay sure thats that's write send on a i and".split(
    " ",
  ),
);

/** `ana@x.example`, or as it is said: `ana dot ruiz at gmail dot com`, `a n a at gmail dot com`. */
export function readEmail({ text }: Said): ReadValue | undefined {
  const written = EMAIL.exec(text)?.[0];
  if (written !== undefined) {
    const email = trimEndOf(written, ".,!?");
    return { value: email, quote: email };
  }
  const tokens = tokensOf(
    text.replace(/\ball (?:one word|lowercase|together)\b/i, (words) => " ".repeat(words.length)),
  ).filter(({ text: word }) => word !== "#");
  for (const [at, token] of tokens.entries()) {
    if (token.text.toLowerCase() !== "at") continue;
    const domain = domainAfter(tokens, at + 1, text);
    const user = writtenBefore(text, token.from) ?? wordsBefore(tokens, at - 1) ?? userBefore(tokens, at - 1);
    if (domain === undefined || user === undefined) continue;
    return { value: `${user.word}@${domain.word}`, quote: text.slice(user.from, domain.to) };
  }
  return undefined;
}

type Tokens = ReturnType<typeof tokensOf>;

/** `mike_88 at`: what is written without a space and with more than letters is the name as it stands. */
function writtenBefore(text: string, end: number): { word: string; from: number } | undefined {
  // No name is longer, and a text of many "at" is not read again for each of them.
  const start = Math.max(0, end - 66);
  const before = text.slice(start, end).trimEnd();
  const word = before.split(/\s/).at(-1) ?? "";
  if (!/^[\w.+-]{3,64}$/.test(word) || !/[\d_.+-]/.test(word) || !/[a-z]/i.test(word)) return undefined;
  return { word: word.toLowerCase(), from: start + before.length - word.length };
}

function domainAfter(tokens: Tokens, start: number, text: string): { word: string; to: number } | undefined {
  let word = "";
  for (let at = start; at < tokens.length && at < start + 6; at++) {
    const part = tokens[at]!.text.toLowerCase();
    const sign = SPOKEN_SIGNS.get(part);
    if (sign === ".") {
      const end = tokens[at + 1];
      if (word === "" || end === undefined) return undefined;
      const top = end.text.toLowerCase();
      if (TOP.test(top)) return { word: `${word}.${top}`, to: end.to };
      word += ".";
    } else if (/^[a-z0-9-]+\.(?:com|net|org|edu|ca|us|co|io)$/.test(part))
      return { word: word + part, to: tokens[at]!.to };
    else if (DOMAINS.test(part)) {
      word += part;
      const end = tokens[at + 1];
      if (end !== undefined && text[tokens[at]!.to] === "." && end.from === tokens[at]!.to + 1 && TOP.test(end.text)) {
        return { word: `${word}.${end.text.toLowerCase()}`, to: end.to };
      }
    } else return undefined;
  }
  return undefined;
}

/** What stands right before an address that is said, and what people say on the way to it. */
const LEADS_TO = /^(?:is|it's|its|that's|thats|email|address|to|word|use|at|be|by|me)$/;
const ON_THE_WAY = /^(?:um|uh|oh|so|yeah|yes|ok|okay|sure|well|my|the|and|like|just|i|mail|e)$/;
const NUMBER_WORDS = new Map(
  "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    .split(" ")
    .map((word, value) => [word, String(value + 10)]),
);
const TENS = new Map(
  "twenty thirty forty fifty sixty seventy eighty ninety".split(" ").map((word, at) => [word, at + 2]),
);
/** No address that is said has more parts before its "at". */
const MAX_PARTS = 12;

/** `it's k miller ninety one at`, `mary lou at`: all from a lead-in, or from the text's beginning, when there is little of it. */
function wordsBefore(tokens: Tokens, end: number): { word: string; from: number } | undefined {
  let start = end + 1;
  while (start > 0 && end - start < MAX_PARTS && !LEADS_TO.test(tokens[start - 1]!.text.toLowerCase())) start--;
  const isLed = start > 0 && LEADS_TO.test(tokens[start - 1]!.text.toLowerCase());
  while (start < end && ON_THE_WAY.test(tokens[start]!.text.toLowerCase())) start++;
  if (start > end || (!isLed && end - start > 2)) return undefined;
  let word = "";
  let words = 0;
  for (let at = start; at <= end; at++) {
    const part = tokens[at]!.text.toLowerCase();
    const tens = TENS.get(part);
    const unit = tens === undefined ? undefined : DIGITS.get(tokens[at + 1]?.text.toLowerCase() ?? "");
    if (tens !== undefined) {
      const isPair = unit !== undefined && unit !== "0" && at < end;
      word += isPair ? `${tens}${unit}` : `${tens}0`;
      if (isPair) at++;
      continue;
    }
    const plain = SPOKEN_SIGNS.get(part) ?? DIGITS.get(part) ?? NUMBER_WORDS.get(part);
    if (plain === undefined && !/^[a-z0-9]+$/.test(part)) return undefined;
    if (plain === undefined && part.length > 1 && ++words > 3) return undefined;
    word += plain ?? part;
  }
  return word.length < 2 || !/[a-z]/.test(word) || SPOKEN_SIGNS.has(tokens[start]!.text.toLowerCase())
    ? undefined
    : { word, from: tokens[start]!.from };
}

/** Backwards from `at`: letters that are spelled, words joined by signs, digits; one whole word otherwise. */
function userBefore(tokens: Tokens, end: number): { word: string; from: number } | undefined {
  let word = "";
  let from = -1;
  let joined = true;
  for (let at = end; at >= 0 && at > end - 24; at--) {
    const part = tokens[at]!.text.toLowerCase();
    const sign = SPOKEN_SIGNS.get(part);
    const plain = DIGITS.get(part) ?? (/^[a-z0-9]+$/.test(part) ? part : undefined);
    const short = plain !== undefined && (plain.length === 1 || /^\d+$/.test(plain));
    if (sign !== undefined && word !== "") {
      word = sign + word;
      joined = true;
    } else if (plain !== undefined && (joined || short) && !(word !== "" && !short && LEADS_IN.has(plain))) {
      if (word !== "" && LEADS_IN.has(part) && !joined) break;
      word = plain + word;
      from = tokens[at]!.from;
      joined = short;
    } else break;
  }
  return word === "" || from < 0 || LEADS_IN.has(word) ? undefined : { word, from };
}

export function readPhone({ text, folded, acts }: Said): ReadValue | undefined {
  // Somebody else's number is not the contact's.
  if (acts.has("other_person") || /\b(?:his|her|their|wifes?|husbands?) (?:number|cell|phone)\b/.test(folded))
    return undefined;
  const phone = findLinks(text).find((link) => link.kind === "phone");
  if (phone && text.includes(phone.text)) return { value: phone.text, quote: phone.text };
  const run = digitRunsIn(text, 10).find(({ digits }) => /^1?[2-9]\d{9}$/.test(digits));
  return run && { value: run.digits, quote: text.slice(run.from, run.to) };
}

const ZIP = /(?<![\d$€£.,])\d{5}(?:-\d{4})?(?!\d|,\d{3}|k\b|\.\d)/;
const CANADIAN = /\b[ABCEGHJ-NPRSTVXY]\d[A-Z][ -]?\d[A-Z]\d\b/i;
const SPELLED =
  /^(?:(?:um|uh|oh|its|it is|yeah|yes|thats|ok|okay) )*(?:(?:oh|o|zero|one|two|three|four|five|six|seven|eight|nine) ?){5}$/;
const CODE_WORDS = /\b(?:zip|postal|zipcode|postcode|codigo postal|live in|located in|in)\b/;

/** A postal code of the United States or Canada. Five bare digits count in answer to the question, or beside a word for it. */
export function readZip({ text, folded }: Said, direct: boolean): ReadValue | undefined {
  const canadian = CANADIAN.exec(text)?.[0];
  const spelled = spelledCode(text);
  if (spelled !== undefined) return spelled;
  if (canadian !== undefined) return { value: canadian.toUpperCase(), quote: canadian };
  const written = ZIP.exec(text)?.[0];
  const alone = written !== undefined && text.split(/[,.;\n]|\band\b/).some((part) => part.trim() === written);
  if (!direct && !alone && !SPELLED.test(folded) && !CODE_WORDS.test(folded)) return undefined;
  if (written !== undefined) return { value: written, quote: written };
  const said = digitRunsIn(text, 5).find(
    ({ digits, from, to }) => digits.length === 5 && isPlainRun(text.slice(from, to)),
  );
  // Said by itself, or behind a word that leads in, five digits are a code even when something else was asked.
  return said && { value: said.digits, quote: text.slice(said.from, said.to) };
}

/** "Eighty two oh four" is 8204 as well as 80204: no code. */
const isPlainRun = (words: string): boolean =>
  !/\b(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety) (?:one|two|three|four|five|six|seven|eight|nine)\b/i.test(
    words,
  );

const LEADS_TO_NAME =
  /^(?:(?:um|uh|oh|well|yes|yeah|sure|okay|ok|so|it's|its|it is|that's|thats|his|her|their|the|my|name's|names|name|is|called|named|for|we call (?:him|her|them)|he's|hes|she's|shes)[,.!]? )+/i;
const NO_CALLED =
  /\b(?:sorry|turned|turns|right|now|time|full|part|he|she|it|we|they|i|you|don'?t|doesn'?t|not|no|yes|maybe|is|are|was|has|have|days?|weeks?|years?|months?|old|today|tomorrow|later|about|around|please|thanks|what|why|need|want|the|mid|early|late|next|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i;

/** The name of a child, a pet, anybody: `her name's penelope`, `it's mia m i a`, `Rex`. */
export function readCalled(said: Said): ReadValue | undefined {
  if (
    ["question", "declines", "later", "refuse", "call", "person", "other_person"].some((act) =>
      said.acts.has(act as "call"),
    )
  )
    return undefined;
  const first =
    said.text
      .trim()
      .split(/[.,;!?\n]|\bthat'?s\b|\bspelled\b/i)
      .find((part) => part.trim() !== "") ?? "";
  const bare = trimEndOf(first.trim().replace(LEADS_TO_NAME, ""), ".,! ");
  // The letters after it spell it.
  const words = bare.split(" ");
  const name = words.slice(0, words.findLastIndex((word) => word.length > 1) + 1).join(" ");
  if (!NAME.test(name) || name.split(" ").length > 3 || NO_CALLED.test(name) || isNoise(foldText(name)))
    return undefined;
  return { value: name, quote: name };
}

/** `m five v two t six`: letters and digits in turn. */
function spelledCode(text: string): ReadValue | undefined {
  const tokens = tokensOf(text);
  for (let at = 0; at + 6 <= tokens.length; at++) {
    const part = tokens.slice(at, at + 6);
    const signs = part.map(({ text: word }) => DIGITS.get(word.toLowerCase()) ?? word.toUpperCase());
    const code = signs.join("");
    if (signs.every((sign) => sign.length === 1) && CANADIAN.test(code)) {
      return { value: code, quote: text.slice(part[0]!.from, part[5]!.to) };
    }
  }
  return undefined;
}

const INTRODUCED =
  /\b(?:my name(?:'s| is)|name(?:'s| is)|i'm|i am|this is|it's|call me|me llamo|soy)\s+(\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}[\p{L}'’.-]*){0,3})/u;
const INTRODUCED_PLAINLY = /\b(?:my name(?:'s| is)|name(?:'s| is)|me llamo)\s+([\p{L}'’-]+(?:\s+[\p{L}'’.-]+){0,2})/iu;
const NAME = /^[\p{L}][\p{L}'’.-]*(?:\s+[\p{L}][\p{L}'’.-]*){0,3}$/u;
const NO_NAME =
  /\b(?:sure|okay|thanks|why|what|not|dont|interested|later|busy|stop|hello|hi|hey|yes|no|maybe|good|fine|hm+|well|selling|buying|looking)\b/;

export function readName(
  kind: "name" | "first_name" | "last_name",
  said: Said,
  direct: boolean,
): ReadValue | undefined {
  const introduced = matched(INTRODUCED.exec(said.text), 1) ?? matched(INTRODUCED_PLAINLY.exec(said.text), 1);
  const bare = trimEndOf(said.text.trim().replace(/^(?:sure|yes|ok|okay|it's|its|um|uh|yeah)[,.!]?\s+/i, ""), ".,!");
  const { acts } = said;
  const other = ["no", "declines", "question", "later", "hostile", "refuse", "call"] as const;
  const isAnswer = direct && NAME.test(bare) && !other.some((act) => acts.has(act)) && !NO_NAME.test(foldText(bare));
  const full = introduced ?? (isAnswer ? { value: bare, quote: bare } : undefined);
  if (full === undefined) return undefined;
  const parts = full.value.split(/\s+/);
  if (kind === "first_name") return { value: parts[0]!, quote: full.quote };
  if (kind === "last_name")
    return parts.length > 1 || isAnswer ? { value: parts.at(-1)!, quote: full.quote } : undefined;
  return full;
}

function matched(match: RegExpExecArray | null, group: number): ReadValue | undefined {
  const quote = trimEndOf(match?.[group] ?? "", ".,!?").trim();
  return quote ? { value: quote, quote } : undefined;
}

const WORD = "\\p{L}[\\p{L}.'’-]*";
/** What ends the name of a place in running text. */
const ENDS =
  "(?:and|to|in|on|by|with|but|i|we|its|it|is|for|from|next|around|about|please|the|at|my|so|near|this|that|because|cause|right|now|actually|sorry|has|have|move|moving|going|not|then|two|three|four|one|five|end|sometime|soon)";
const PLACE = `((?!${ENDS}\\b)${WORD}(?: (?!${ENDS}\\b)${WORD}){0,3})`;
/** `denver to salt lake city`, `littleton -> pueblo`, `de denver a pueblo`: the two places on the sides of the word between. */
function pairIn(text: string): readonly [string, string] | undefined {
  const sides = text.split(/(?: going to | moving to | to | ?-> ?| ?→ ?| over to | a | hasta )/i);
  for (let at = 1; at < sides.length; at++) {
    const behind = sides[at - 1]!.split(/[\d,.;:!?\n]|\b(?:from|de|desde|moving|going)\b/i)
      .at(-1)!
      .trim();
    const left = behind.split(/ in /).at(-1)!;
    const right = AT_START.exec(sides[at]!.trim())?.[1];
    if (right === undefined || left === "" || left.split(" ").length > 3) continue;
    const isOwnWord = / a $/i.test(text.slice(0, text.indexOf(sides[at]!))) && !/\bde\b/i.test(sides[at - 1]!);
    if (!isOwnWord && !NO_PLACE.test(foldText(left)) && !NO_PLACE.test(foldText(right)) && !isNoise(foldText(left)))
      return [left, right];
  }
  return undefined;
}
const AT_START = new RegExp(`^${PLACE}`, "iu");
const FROM = new RegExp(`\\b(?:from|moving out of) ${PLACE}`, "iu");
const TO = new RegExp(
  `(?<!\\b(?:want|need|like|love|going|trying|have|used|able|plan|up|has|due|hoping|how|rather|planning|got|when) )\\bto ${PLACE}`,
  "iu",
);
const IN = new RegExp(
  `\\b(?:(?:live|living|staying|located|based|reside|home|house|place|am|i'm|im|were|we're|are|vivo|estoy) (?:in|near|around|en)|(?:north|south|east|west) (?:side|end|part) of|outside of|just outside) ${PLACE}`,
  "iu",
);
/** `my mom's place in pueblo`, `a storage unit in erie`: the city of it. */
const PLACE_IN = new RegExp(
  `\\b(?:my|our|a|an|the|their|his|her) (?:[\\p{L}'’]+ ){0,3}(?:up |down |over |out |here )?in ${PLACE}`,
  "iu",
);
const LEAD =
  /^(?:(?:um|uh|oh|sure|well|yes|yeah|ok|okay|so|its|it's|it is|that's|thats|i live|living|i'm|im|i am|we're|were|from|in|near|to|going|moving|we move|out of state|right here|here|out of|the city of|city of|probably|just|right now|currently|actually|no|sorry|i meant|over|down|up|back to|back)[,.]? +)+/i;
const NO_PLACE =
  /\b(?:know|sure|care|yet|call|text|later|where|what|why|how|much|bedrooms?|beds?|dollars|thanks|thank|hm+|huh|lol|stop|dog|cat|green|depends|just|one|two|three|four|five|decided|stay|back|happy|want|need|like|love|trying|have|used|able|plan|up|has|due|hoping|how|rather|planning|got|when|moving|move|want|you|me|i|we|home|house|there|here|work|school|asap|no|yes|be|get|see|find|do|go|make|sell|buy|talk|ask|come|say|tell|pay|keep|honest|are|is|free|jan|january|feb|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|today|day|days|week|month|year|spring|summer|fall|winter|first|second|third|fourth|fifth|tenth|boxes|quote|price|cost|actually|meant|number|phone|across|town)\b/;

/** A place. `from` and `to` decide between two places of a move. */
export function readPlace(words: string, said: Said, direct: boolean): ReadValue | undefined {
  const { text } = said;
  const pair = /\b(?:from|to)\b/.test(words) ? pairIn(text) : undefined;
  if (pair !== undefined) {
    const place = trimEndOf(pair[/\bfrom\b/.test(words) ? 0 : 1], ".,!?'’ ");
    if (place !== "") return { value: place, quote: place };
  }
  const inside = direct ? matchedPlace(PLACE_IN.exec(text)) : undefined;
  if (inside !== undefined) return inside;
  if (/\bfrom\b/.test(words))
    return (
      matchedPlace(FROM.exec(text)) ??
      (direct ? matchedPlace(IN.exec(text)) : undefined) ??
      (direct ? barePlace(said, "from") : undefined)
    );
  if (/\bto\b/.test(words))
    return (
      matchedPlace(TO.exec(text)) ??
      (direct ? matchedPlace(IN.exec(text)) : undefined) ??
      (direct ? barePlace(said, "to") : undefined)
    );
  return matchedPlace(IN.exec(text)) ?? (direct ? barePlace(said, "in") : undefined);
}

function matchedPlace(match: RegExpExecArray | null): ReadValue | undefined {
  const place = trimEndOf(match?.[1] ?? "", ".,!?'’").trim();
  return place === "" || NO_PLACE.test(foldText(place)) || place.length < 2
    ? undefined
    : { value: place, quote: place };
}

function barePlace({ text, acts, folded }: Said, way: "from" | "to" | "in"): ReadValue | undefined {
  const other = [
    "declines",
    "question",
    "later",
    "hostile",
    "refuse",
    "call",
    "distress",
    "repeat",
    "goodbye",
    "greets",
  ] as const;
  const own =
    text
      .split(/(?<!\b(?:st|ft|mt))[.!\n]/i)
      .find(
        (part) => part.trim() !== "" && !/\?|^\s*(?:do|does|is|are|can|how|what|where|when|why|will) /i.test(part),
      ) ?? "";
  if (
    other.some((act) => acts.has(act) && !(act === "question" && own.length < text.trim().length - 2)) ||
    /^(?:yes|no|yeah|nope|ok|okay|sure)$/.test(folded)
  )
    return undefined;
  const bare = own
    .trim()
    .replace(LEAD, "")
    .split(/ (?:to be|to live|where|because|so that|since) /i)[0]!
    .replace(/,? (?:i think|i guess|i believe|probably|maybe|for now|please|actually|right now)[.!]?$/i, "");
  const place = trimEndOf(bare.split(way === "from" ? / to /i : /\n/)[0]!.split(/[!?;(]|, (?!\p{L}+$)/u)[0]!, ".,! ");
  if (!/^\p{L}[\p{L} .,'’-]{1,40}$/u.test(place) || place.split(" ").length > 4) return undefined;
  return isNoise(foldText(place)) ||
    NO_PLACE.test(foldText(place)) ||
    /^(?:yes|no|ok|hi|hey|hello|k)$/.test(foldText(place))
    ? undefined
    : { value: place, quote: place };
}
