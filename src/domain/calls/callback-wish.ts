import { foldText } from "#domain/values/fold.ts";
import { type SpokenTime, spokenTime } from "./spoken-time.ts";

const NOT = "(?<!\\b(?:dont|do not|never|not|no need to|cant|cannot|didnt|did not|wont) (?:\\w+ )?)";
const ASKS = new RegExp(
  [
    `${NOT}\\b(?:call|phone|ring|try|reach|buzz) (?:me|us)\\b(?! (?:crazy|names|mr|mrs|ms|by|it|old|an?\\b|if you need))`,
    `${NOT}\\b(?:call|try|phone|ring) (?:back|again)\\b`,
    "\\b(?:give|gimme) (?:me |us )?a (?:call|ring|buzz)\\b",
    "\\b(?:can|could|would|will|please) (?:you|u|someone|somebody|your team) (?:please )?(?:call|phone|try)\\b(?! (?:it|that|him|her|them))",
    "\\b(?:better|best|good) time (?:is|would be|to (?:call|talk))\\b|\\bi (?:can|could) talk\\b|\\blets talk\\b|\\btalk (?:later|tomorrow|then)\\b",
    "\\bllam[ae](?:me|rme)\\b|\\bme (?:llamas?|puede llamar|pueden llamar)\\b|\\b(?:r?appele[rz]) moi\\b",
  ].join("|"),
);

/** A call that is asked for is within this, or was misread. */
const MAX_AHEAD_MS = 90 * 86_400_000;

/** A call that someone asked for, with the words that did. */
export type CallbackWish = { at: Date; quote: string };

/**
 * The call that a sentence asks for at a time it names ("call me tomorrow after lunch"), or undefined: without a time, or with one that has
 * passed or is three months away. `zone` is an IANA name; with an unknown one no time can be read.
 */
export function callbackWish(text: string, now: Date, zone: string): CallbackWish | undefined {
  if (!ASKS.test(foldText(text))) return undefined;
  const time = timeIn(text, now, zone);
  if (time === undefined || time.at.getTime() - now.getTime() > MAX_AHEAD_MS) return undefined;
  return { at: time.at, quote: text.trim().slice(0, 300) };
}

function timeIn(text: string, now: Date, zone: string): SpokenTime | undefined {
  try {
    return spokenTime(text, now, zone);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
