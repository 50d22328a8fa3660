import type { Uuid } from "#domain/values/id.ts";
import type { ProcessState } from "#operations/process-state.ts";
import type { SmsCarrier } from "#ports/sms-carrier.ts";

/** Of a carrier that cannot be asked and says nothing of its own. */
const MOST_IN_DOUBT = 8;

/** Room for texts that are in doubt, should the process die: those of one batch, taken before its claim and given back once its answers are kept. */
export type Doubt = {
  /** Takes what is wanted of what is free, and while other senders of the account want some up to half of it. Without a limit where the carrier can be asked. */
  take(carrier: SmsCarrier, wanted: number): number;
  /** Gives back all but so many of what was taken. */
  keep(count: number): void;
  /** Whether the carrier of the last batch has no room now. */
  isFull(): boolean;
};

/** A lane that found no room comes back within this, or wants none. */
const WANTED_FOR_MS = 3_000;

/** What one batch of a lane takes: every lane of the process that sends by the same account takes of the same room. */
export function doubtOf(
  { inDoubt, roomWanted }: Pick<ProcessState, "inDoubt" | "roomWanted">,
  { tenantId, laneId }: { tenantId: Uuid; laneId: Uuid },
  steadyMs: () => number = () => performance.now(),
): Doubt {
  let taken = 0;
  let key = "";
  let most = Number.POSITIVE_INFINITY;
  const now = () => inDoubt.get(key) ?? 0;
  const set = (count: number) => (count === 0 ? inDoubt.delete(key) : inDoubt.set(key, count));
  const keep = (count: number): void => {
    if (taken === 0) return;
    set(now() - taken + Math.min(count, taken));
    taken = Math.min(count, taken);
  };
  /** Notes that this lane wants room; false where others have wanted some a moment ago. */
  function isAlone(): boolean {
    const lanes = roomWanted.get(key) ?? new Map<Uuid, number>();
    roomWanted.set(key, lanes.set(laneId, steadyMs()));
    for (const [id, at] of lanes) if (steadyMs() - at > WANTED_FOR_MS) lanes.delete(id);
    return lanes.size === 1;
  }
  return {
    take(carrier, wanted) {
      // A transaction that is tried again takes anew.
      keep(0);
      const { lookupByRef, mostClaimed = MOST_IN_DOUBT } = carrier.capabilities;
      if (lookupByRef) return wanted;
      [key, most] = [`${tenantId} ${carrier.name}`, mostClaimed];
      const free = most - now();
      taken = Math.max(0, Math.min(wanted, isAlone() ? free : Math.ceil(free / 2)));
      if (taken > 0) set(now() + taken);
      return taken;
    },
    keep,
    isFull: () => now() >= most,
  };
}
