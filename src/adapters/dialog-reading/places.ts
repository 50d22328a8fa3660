import { isNoise } from "#adapters/dialog-words/noise.ts";
import { foldText } from "#domain/values/fold.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import type { ReadValue, Said } from "./said.ts";

const WORD = "\\p{L}[\\p{L}.'’-]*";
/** What ends the name of a place in running text. */
const ENDS =
  "(?:and|to|in|on|by|with|but|i|we|its|it|is|for|from|next|around|about|please|the|at|my|so|near|this|that|because|cause|right|now|actually|sorry|has|have|move|moving|going|not|then|two|three|four|one|five|end|sometime|soon)";
const PLACE = `((?!${ENDS}\\b)${WORD}(?: (?!${ENDS}\\b)${WORD}){0,3})`;
/** `denver to salt lake city`, `littleton -> pueblo`, `de denver a pueblo`: the two places on the sides of the word between. */
function pairIn(said: Said): readonly [string, string] | undefined {
  const { text } = said;
  if (said.acts.has("question") && !/\bfrom\b/i.test(text)) return undefined;
  const sides = text.split(/(?: going to | moving to | to | ?-> ?| ?→ ?| over to | a | hasta )/i);
  for (let at = 1; at < sides.length; at++) {
    const behind = trimEndOf(sides[at - 1]!, ".,; ")
      .split(/[\d,.;:!?\n]|\b(?:from|de|desde|moving|going)\b/i)
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
  const pair = /\b(?:from|to)\b/.test(words) ? pairIn(said) : undefined;
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
