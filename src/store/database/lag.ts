/** How far the primary had come, and when. */
type Noted = { atMs: number; lsn: bigint };

/** Two minutes of looks, at two a second. */
const KEPT = 240;

export type Lag = {
  /** The primary is as far as this now. */
  note(lsn: bigint, atMs: number): void;
  /**
   * For how long a replica has lacked something that the primary has, at the least: since the first noted position that it has not reached. One that has
   * all of a primary with nothing to do is not behind.
   */
  behindMs(reached: bigint, nowMs: number): number;
};

export function lagMeter(): Lag {
  let noted: Noted[] = [];
  return {
    note(lsn, atMs) {
      noted.push({ atMs, lsn });
      // The oldest says since when a replica has been behind: the others give way.
      if (noted.length > KEPT) noted.splice(1, 1);
    },
    behindMs(reached, nowMs) {
      noted = noted.filter(({ lsn }) => lsn > reached);
      return noted[0] === undefined ? 0 : Math.max(0, nowMs - noted[0].atMs);
    },
  };
}
