import { type Rotation, rotation } from "#domain/calls/rotation.ts";
import { refill } from "#domain/sending/tokens.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { CallLineCapabilities } from "#ports/call-line.ts";
import type { DialLane } from "#store/calls/dial-lanes.ts";
import * as numberUses from "#store/calls/number-uses.ts";
import type { Tx } from "#store/database/db.ts";
import * as rests from "#store/numbers/rests.ts";

/** The numbers of a lane as a claim may use them. */
export type LaneNumbers = Rotation & {
  /** When the first of them is awake again, in the tenant's time; undefined unless all rest. */
  restingUntil: Date | undefined;
  /** Until its line may take another call from a number that has had its share. */
  againMs: number;
  /** Notes what was taken, with the commit. */
  note(): Promise<void>;
};

/** Calls from a number go on: the end of one is looked for this soon. */
const FULL_MS = 1_000;

/**
 * Which of a lane's numbers rest, and how many calls each may place now by its line's rate and what goes on. Comes after the lane's lock; `known` are
 * numbers that contacts are to be called from again.
 */
export async function rotate(
  tx: Tx,
  tenantId: Uuid,
  lane: Pick<DialLane, "numbers">,
  { callsPerSecond, concurrency }: Pick<CallLineCapabilities, "callsPerSecond" | "concurrency">,
  { now, tenantNow }: { now: Date; tenantNow: Date },
): Promise<LaneNumbers> {
  const { numbers } = lane;
  const day = tenantNow.toISOString().slice(0, 10);
  const isLimited = callsPerSecond !== undefined || concurrency !== undefined;
  const none = new Map<string, never>();
  const sorted = numbers.toSorted();
  const uses = numbers.length === 0 ? none : await numberUses.read(tx, tenantId, sorted, { day, isLimited });
  const [open, resting] =
    numbers.length === 0
      ? [none, none]
      : await Promise.all([
          concurrency === undefined ? none : numberUses.openOf(tx, tenantId, numbers),
          rests.restingOf(tx, tenantId, numbers, tenantNow),
        ]);
  const tokensOf = new Map<string, number>();
  const usable = numbers.map((number) => {
    const use = uses.get(number);
    let left = Number.POSITIVE_INFINITY;
    if (callsPerSecond !== undefined) {
      const per_second = callsPerSecond;
      const tokens = refill(
        { per_second, tokens: use?.tokens ?? Math.max(1, per_second), tokens_at: use?.tokens_at ?? now },
        now,
      );
      tokensOf.set(number, tokens);
      left = tokens;
    }
    if (concurrency !== undefined) left = Math.min(left, concurrency - (open.get(number) ?? 0));
    return { number, placed: use?.placed ?? 0, left, isResting: resting.has(number) };
  });
  const chosen = rotation(usable);
  const ends = [...resting.values()].sort((a: Date, b: Date) => a.getTime() - b.getTime());
  return {
    ...chosen,
    restingUntil: chosen.areAllResting ? ends[0] : undefined,
    againMs:
      callsPerSecond === undefined ? FULL_MS : Math.max(1000 / callsPerSecond, concurrency === undefined ? 0 : FULL_MS),
    note: () =>
      numberUses.add(
        tx,
        tenantId,
        { day, now },
        chosen.taken().map(({ number, taken }) => {
          const tokens = tokensOf.get(number);
          return { number, placed: taken, tokens: tokens === undefined ? null : tokens - taken };
        }),
      ),
  };
}
