import type { CallEvent, ContactRequests } from "#domain/calls/report.ts";
import { type Ending, takeAction } from "#domain/calls/rules.ts";
import type { DialogPart } from "#ports/call-dialog.ts";
import type { Speaker } from "./speaker.ts";

/** One turn of the agent: the dialog's sentences are spoken and its actions performed as they come. */
export type AgentTurn = {
  /** Resolves when all its sentences have been synthesised, with what is to follow them. Rejects with the dialog's or the voice's error. */
  readonly done: Promise<Ending | undefined>;
  isDone(): boolean;
  /** When the first sentence was given to the voice, on the clock that `now` is of. */
  firstSentenceMs(): number | undefined;
  /** Nothing more of it is spoken or done. */
  abandon(): void;
};

export type TurnParts = {
  speaker: Speaker;
  requests: ContactRequests;
  /** Waited for: an opt-out is committed before it is confirmed. */
  report(event: CallEvent): Promise<void>;
  dtmf(digits: string): void;
  /** Milliseconds since the answer, and the tenant's time. */
  nowMs(): number;
  date(): string;
};

export function agentTurn(think: (signal: AbortSignal) => AsyncIterable<DialogPart>, parts: TurnParts): AgentTurn {
  const over = new AbortController();
  const { signal } = over;
  let firstSentenceMs: number | undefined;
  let isDone = false;

  const act = async (): Promise<Ending | undefined> => {
    let ending: Ending | undefined;
    const spoken: Promise<void>[] = [];
    for await (const part of think(signal)) {
      if (signal.aborted) break;
      if (part.kind === "sentence") {
        firstSentenceMs ??= parts.nowMs();
        const said = parts.speaker.say(part.text);
        // It is awaited with the others; until then a failure must not end the process.
        said.catch(() => {});
        spoken.push(said);
        continue;
      }
      const after = takeAction(parts.requests, part);
      ending ??= after;
      if (part.kind === "dtmf") parts.dtmf(part.digits);
      else if (part.kind === "opt_out") await parts.report({ ...part, at: parts.date() });
    }
    await Promise.all(spoken);
    return ending;
  };
  const done = act()
    .catch((error) => {
      if (!signal.aborted) throw error;
      return undefined;
    })
    .finally(() => {
      isDone = true;
    });
  done.catch(() => {});
  return {
    done,
    isDone: () => isDone,
    firstSentenceMs: () => firstSentenceMs,
    abandon() {
      over.abort();
    },
  };
}
