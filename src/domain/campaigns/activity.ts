import { costOf, costOfTexts, type TextPrices } from "#domain/messaging/price.ts";
import { share } from "./analytics.ts";

/** Upper ends of the classes in which response times are counted, in ms; the last class has no end. */
export const LATENCY_BOUNDS_MS: readonly number[] = [250, 500, 750, 1_000, 1_250, 1_500, 2_000, 3_000, 5_000];

/** What activity can be summed by. */
export const ACTIVITY_KEYS = ["campaign", "agent", "number", "area_code", "hour_of_day", "weekday"] as const;
export type ActivityKey = (typeof ACTIVITY_KEYS)[number];

/** The measures of which each outbound call has one. */
export const OUTCOMES = ["answered", "voicemail", "no_answer", "busy", "declined", "not_connected"] as const;

/** How often each measure was counted; what never was is left out. */
export type Counts = ReadonlyMap<string, number>;

/** The figures of some counts, as the contract's ActivityFigures. */
export function figuresOf(counts: Counts, prices: TextPrices) {
  const of = (measure: string) => counts.get(measure) ?? 0;
  const outcomes = {
    answered: of("answered"),
    voicemail: of("voicemail"),
    no_answer: of("no_answer"),
    busy: of("busy"),
    declined: of("declined"),
    failed: of("not_connected"),
  };
  const outbound = Object.values(outcomes).reduce((sum, n) => sum + n, 0);
  const talks = of("talks");
  return {
    texts: {
      sent: of("sent"),
      delivered: of("delivered"),
      failed: of("failed"),
      received: of("received"),
      segments: of("segments"),
      contacts_texted: of("texted"),
      contacts_replied: of("replied"),
      contacts_opted_out: of("opted_out"),
      delivery_rate: share(of("delivered"), of("sent")),
      reply_rate: share(of("replied"), of("texted")),
      opt_out_rate: share(of("opted_out"), of("texted")),
      cost: costOfTexts(of("segments"), of("picture_texts"), prices),
    },
    calls: {
      outbound,
      inbound: of("inbound"),
      ...outcomes,
      contacts_opted_out: of("call_opted_out"),
      successful: of("successful"),
      answer_rate: share(outcomes.answered, outbound),
      voicemail_rate: share(outcomes.voicemail, outbound),
      success_rate: share(of("successful"), talks),
      talk_ms: { total: of("talk_ms"), avg: talks === 0 ? 0 : Math.round(of("talk_ms") / talks) },
      sentiment: {
        Positive: of("sentiment_positive"),
        Negative: of("sentiment_negative"),
        Neutral: of("sentiment_neutral"),
        Unknown: of("sentiment_unknown"),
      },
      response_ms: responseTimes(of),
      cost: costOf(of("cost_micros"), "0.000001"),
    },
  };
}

export type Figures = ReturnType<typeof figuresOf>;

/** Turns of the agent, and the time below which half and 95 % of them were: estimated within their class, null without a turn. */
function responseTimes(of: (measure: string) => number): { turns: number; p50: number | null; p95: number | null } {
  const classes = [...LATENCY_BOUNDS_MS.keys(), LATENCY_BOUNDS_MS.length].map((i) => of(`latency_${i}`));
  const turns = classes.reduce((sum, n) => sum + n, 0);
  const below = (part: number): number | null => {
    if (turns === 0) return null;
    let before = 0;
    for (const [i, n] of classes.entries()) {
      if (n > 0 && before + n >= part * turns) {
        const from = LATENCY_BOUNDS_MS[i - 1] ?? 0;
        const to = LATENCY_BOUNDS_MS[i];
        return to === undefined ? from : Math.round(from + ((part * turns - before) / n) * (to - from));
      }
      before += n;
    }
    return null;
  };
  return { turns, p50: below(0.5), p95: below(0.95) };
}
