import { crossTenant, type Tx } from "./db.ts";
import { migrationNames } from "./migrate.ts";

const readState = crossTenant(
  "read-ready-state",
  "select clock_timestamp() as at, array(select name from migrations) as done",
);

/** What is wrong with the database, if anything, and how far its clock is from ours. Never throws. */
export async function check(
  tx: Tx,
  now: () => Date,
): Promise<{ database: string | null; migrations: string | null; skewMs: number | null }> {
  try {
    const asked = now().getTime();
    const row = (await tx.first<{ at: Date; done: string[] }>(readState))!;
    // The answer was made somewhere between the two readings of our clock.
    const skewMs = row.at.getTime() - (asked + now().getTime()) / 2;
    const missing = migrationNames().filter((name) => !row.done.includes(name));
    return { database: null, migrations: missing.length > 0 ? `missing: ${missing.join(", ")}` : null, skewMs };
  } catch (error) {
    return { database: (error as Error).message, migrations: null, skewMs: null };
  }
}
