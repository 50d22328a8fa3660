import type { MessagePurpose } from "#domain/messaging/message.ts";
import { costOf, type TextPrices } from "#domain/messaging/price.ts";
import { localDays } from "#domain/values/local-day.ts";

// What a tenant may spend on a day of its own: texts by their segments, calls by their minutes. Amounts are millionths of a dollar.

/** What is left of a day. `conversation` is more: an agent that falls silent amid a conversation is worse than a few cents. */
export type SpendLeft = { outreach: number; conversation: number };

/** Answers may go this far beyond the limit: contacts who wait for one are no part of what was planned to be spent. */
const CONVERSATIONS_BEYOND = 0.1;

/** The first campaign text, or follow-up: what the limit is for. */
const isPlanned = (purpose: MessagePurpose): boolean => purpose === "start" || purpose === "drip";

/** A day of the tenant's calendar: its date, and when it ends. */
export function spendDay(zone: string, now: Date): { date: string; endsAt: Date } {
  const [day] = localDays(zone, now.getTime(), 1);
  return { date: day!.date, endsAt: new Date(day!.end) };
}

/** Of a price as domain/messaging/price.ts has it. */
export function microsOf(price: string): number {
  const [whole, decimals = ""] = price.split(".");
  return Number(whole) * 1_000_000 + Number(decimals.padEnd(6, "0"));
}

/** What a text costs. */
export const textMicros = (text: { segments: number; hasPictures: boolean }, prices: TextPrices): number =>
  text.hasPictures ? microsOf(prices.pictureText) : text.segments * microsOf(prices.segment);

/** Dollars, with two to six decimals. */
export const dollarsOf = (micros: number): string => costOf(micros, "0.000001");

export function spendLeft(limit: number, spent: number): SpendLeft {
  const beyond = limit + Math.floor(limit * CONVERSATIONS_BEYOND);
  return { outreach: Math.max(0, limit - spent), conversation: Math.max(0, beyond - spent) };
}

/** How many pieces at this price are left: calls of a minute, texts of a segment. */
export const piecesLeft = (left: number, each: number): number =>
  each > 0 ? Math.floor(left / each) : left > 0 ? Number.POSITIVE_INFINITY : 0;

/**
 * Which of these texts still leave, whole or not at all: those of conversations first, then outreach in its order until one does not fit.
 * Confirmations always leave. What they cost counts against what is left for the others.
 */
export function withinLimit(texts: readonly { purpose: MessagePurpose; micros: number }[], left: SpendLeft): boolean[] {
  let spent = 0;
  const goes = texts.map(() => false);
  const take = (wanted: (purpose: MessagePurpose) => boolean, most: number) => {
    for (const [i, { purpose, micros }] of texts.entries()) {
      if (!wanted(purpose)) continue;
      if (spent + micros > most) return;
      spent += micros;
      goes[i] = true;
    }
  };
  take((purpose) => purpose === "confirmation", Number.POSITIVE_INFINITY);
  take((purpose) => purpose !== "confirmation" && !isPlanned(purpose), left.conversation);
  take(isPlanned, left.outreach);
  return goes;
}
