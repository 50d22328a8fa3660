import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { advanceMark, guardAgainstPast } from "#operations/restore/raise-fence.ts";
import type { SeenMark } from "#ports/journal.ts";

/** A database that was put back to before this second is known by it. */
export const MARK_EVERY_MS = 1_000;
/** Often enough to say to which hour a database was put back. */
const NOTE_EVERY_MS = 3_600_000;
/** Some 16 days of hours: longer than journals are kept where nobody has set it otherwise. */
const MOST_NOTES = 400;

/** How far a database had come when this machine last saw it, and at some times before, oldest first. */
type Seen = { mark: number; notes: { mark: number; at: string }[] };
/** By the id of the cluster, which identifies a database. */
type Records = Record<Uuid, Seen>;

const fileOf = (dataDir: string) => join(dataDir, "mark.json");

function read(dataDir: string): Records {
  try {
    const content = JSON.parse(readFileSync(fileOf(dataDir), "utf8")) as Records | { cluster: Uuid; mark: number };
    // As it was written when there was one record only.
    return typeof content.cluster === "string"
      ? { [content.cluster]: { mark: content.mark as number, notes: [] } }
      : (content as Records);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return {};
    throw new Error(`${fileOf(dataDir)} cannot be read: ${(error as Error).message}`);
  }
}

/** What this machine has seen of a database; undefined when it has never seen it. */
export function readMark(dataDir: string, cluster: Uuid): SeenMark | undefined {
  const record = read(dataDir)[cluster];
  return (
    record && {
      mark: record.mark,
      asOf(mark) {
        const at = record.notes.findLast((note) => note.mark <= mark)?.at;
        return at === undefined ? undefined : new Date(at);
      },
    }
  );
}

/** Atomic, and the mark never decreases: several processes of a machine write it, and the database may have been restored. */
export async function writeMark(dataDir: string, record: { cluster: Uuid; mark: number }, now: Date): Promise<void> {
  const all = read(dataDir);
  const { mark, notes } = all[record.cluster] ?? { mark: -1, notes: [] };
  if (mark >= record.mark) return;
  const last = notes.at(-1);
  const isTime = last === undefined || now.getTime() - Date.parse(last.at) >= NOTE_EVERY_MS;
  const noted = isTime ? [...notes, { mark: record.mark, at: now.toISOString() }].slice(-MOST_NOTES) : notes;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Containers that share a folder may have the same process id.
  const mine = `${fileOf(dataDir)}.${randomUUID()}`;
  try {
    const file = await open(mine, "wx", 0o600);
    try {
      await file.writeFile(
        JSON.stringify({ ...all, [record.cluster]: { mark: record.mark, notes: noted } } satisfies Records),
      );
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(mine, fileOf(dataDir));
  } catch (error) {
    await rm(mine, { force: true });
    throw error;
  }
}

/** One step further, in the database and then here. */
export async function noteMark(ctx: Context, dataDir: string): Promise<void> {
  await writeMark(dataDir, await advanceMark(ctx), ctx.now());
}

/** Raises the restore fence where the database is behind this machine's record; says in the log that it is up, and what is not done then. */
export async function guardByMark(ctx: Context, dataDir: string, notDone: string): Promise<void> {
  const reason = await guardAgainstPast(ctx, (cluster) => readMark(dataDir, cluster));
  if (reason) ctx.log.error({ reason }, `the restore fence is up: ${notDone} until \`parley fence lift\``);
}
