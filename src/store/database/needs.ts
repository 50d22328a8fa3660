import type pg from "pg";

// A migration only adds, so that nodes of the release before go on over the schema of the next. One that takes something away is of a release of which
// the one before does not use it any more, and says in its head which was the first that did not: docs/deployment.md, "Updates".

/** A line of a migration's: what it takes away was used for the last time by the release before this one. */
const NEEDS = /^-- needs release (\d+\.\d+\.\d+)$/m;

export const neededBy = (sql: string): string | undefined => NEEDS.exec(sql)?.[1];

/** Whether a release is from before another one; both are three numbers. */
export function isBefore(release: string, other: string): boolean {
  const [ours, theirs] = [release, other].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const at = ours.findIndex((number, i) => number !== theirs[i]);
  return at >= 0 && ours[at]! < theirs[at]!;
}

/** The database's schema is one that this release cannot work with, and will not be another one by itself. */
export class OutdatedError extends Error {
  override name = "OutdatedError";
}

type Need = { name: string; needs: string };

/** What is wrong with a release over a schema that lacks what these migrations took away, in words. */
export function objection(release: string, taken: readonly Need[]): string | undefined {
  const last = taken.filter(({ needs }) => isBefore(release, needs)).at(-1);
  return last && `this is release ${release}, and ${last.name} took away what releases before ${last.needs} use`;
}

/** Fails with OutdatedError where a later release took away what this one uses. To be asked before it works with the schema. */
export async function mustSuffice(session: Pick<pg.ClientBase, "query">, release: string): Promise<void> {
  // The column is not there where nothing can have been taken away yet.
  const { rows } = await session.query<Need>(
    `select name, needs from (select name, to_jsonb(migrations) ->> 'needs_release' as needs from migrations) as it
     where needs is not null order by name`,
  );
  const wrong = objection(release, rows);
  if (wrong === undefined) return;
  throw new OutdatedError(
    `The database has the schema of a later release: ${wrong}. Start that one or a later one; the way back to this one is the backup that was made before the update`,
  );
}

/** A process says every half second that it runs (operations/restore/vouch.ts). */
const RUNS = "30 seconds";

/** Fails while processes run that use what these migrations take away. */
export async function mustBeUnused(
  session: Pick<pg.ClientBase, "query">,
  migrations: readonly { name: string; needs?: string | undefined }[],
): Promise<void> {
  const taking = migrations.filter((one): one is Need => one.needs !== undefined);
  const there = await session.query<{ there: boolean }>("select to_regclass('witnesses') is not null as there");
  if (taking.length === 0 || !there.rows[0]!.there) return;
  const { rows } = await session.query<{ role: string; release: string | null }>(
    `select role, to_jsonb(witnesses) ->> 'release' as release from witnesses
     where seen_at > clock_timestamp() - interval '${RUNS}' order by role, process_id`,
  );
  for (const { name, needs } of taking) {
    const older = rows.filter(({ release }) => release === null || isBefore(release, needs));
    if (older.length === 0) continue;
    const them = older.map(({ role, release }) => `${role} of ${release ?? "an unknown release"}`).join(", ");
    throw new Error(
      `${name} takes away what releases before ${needs} use, and of those there run: ${them}. Stop them, or bring them to ${needs} first; nothing was changed`,
    );
  }
}
