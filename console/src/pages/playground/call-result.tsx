import { Fields } from "#parts/show/fields.tsx";
import { callLength, duration } from "#parts/show/figures.tsx";
import { reasonOf } from "#parts/show/words.ts";
import type { CallEnd } from "./spoken-call.ts";
import { actionWords } from "./turn.ts";

/** Here the contact is who looks at it, and nobody is put through. */
const REASONS: Readonly<Record<string, string>> = {
  user_hangup: "You hung up",
  call_transfer: "A real call would be transferred now",
};

/** How a call ended, how fast the agent was and what it would have done. */
export function CallResult({ end, isFinding }: { end: CallEnd; isFinding: boolean }) {
  const { disconnection_reason: reason, duration_ms, turns, actions } = end;
  const answer = median(turns.map(({ e2e_ms }) => e2e_ms));
  return (
    <Fields
      items={[
        ["Ended", REASONS[reason] ?? reasonOf(reason)],
        ["Lasted", callLength(duration_ms)],
        answer !== undefined && ["Answered within", `${duration(answer)}, half of the times`],
        ["Would do", actions.length === 0 ? "Nothing but talk" : actions.map(actionWords).join(" · ")],
        isFinding && ["Found out", "Being read out of what was said"],
      ]}
    />
  );
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}
