import type { SpokenWord, TurnLatency, Utterance } from "#domain/calls/report.ts";
import type { Played } from "#media/audio/playback.ts";

/** Words of one side with less than this between them are one utterance, when the other said nothing meanwhile. */
const SAME_BREATH_MS = 2_000;

/** What both sides said in a call, as its report has it, while it grows. */
export type CallLog = {
  /** Final words of the contact's; times in milliseconds since the answer. Returns the new utterance, which the log may have joined to the one before. */
  transcribed(said: { text: string; words: readonly SpokenWord[]; startMs: number; endMs: number }): Utterance;
  /** What was played of the agent's sentences. */
  spoken(played: Played): Utterance;
  took(latency: TurnLatency): void;
  utterances(): Utterance[];
  readonly latencies: readonly TurnLatency[];
};

export function callLog(): CallLog {
  const utterances: Utterance[] = [];
  const latencies: TurnLatency[] = [];

  /** In the order in which they began: words of the contact's are known later than they were said. */
  const add = (utterance: Utterance): Utterance => {
    let at = utterances.length;
    while (at > 0 && utterances[at - 1]!.startMs > utterance.startMs) at--;
    const before = utterances[at - 1];
    if (before?.role === utterance.role && !before.interrupted && utterance.startMs - before.endMs < SAME_BREATH_MS) {
      const one = {
        ...before,
        ...utterance,
        text: `${before.text} ${utterance.text}`,
        startMs: before.startMs,
        words: [...before.words, ...utterance.words],
      };
      utterances[at - 1] = one;
      return utterance;
    }
    utterances.splice(at, 0, utterance);
    return utterance;
  };

  return {
    transcribed: ({ text, words, startMs, endMs }) => add({ role: "contact", text, startMs, endMs, words: [...words] }),
    spoken: ({ text, words, startMs, endMs, whole }) =>
      add({ role: "agent", text, startMs, endMs, words, ...(whole ? {} : { interrupted: true as const }) }),
    took(latency) {
      latencies.push(latency);
    },
    utterances: () => [...utterances],
    latencies,
  };
}
