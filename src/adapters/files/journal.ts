import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { Journal } from "#ports/journal.ts";

const DAY_MS = 86_400_000;
export const NAME = /^(\d{4}-\d{2}-\d{2})\..+\.ndjson$/;

export type JournalFiles = {
  folder: string;
  /** Makes this process's file name differ from those of other processes. */
  writer: string;
  /** Files of days before these are removed. */
  days: number;
  now(): Date;
  /** While the database is fenced no file is removed: it may be needed to lift the fence. A failed check counts as fenced. */
  isFenced(): Promise<boolean>;
};

/**
 * Appends entries to one file a day and process, a JSON line each. Entries that come while the disk is busy are written
 * and synced together. What could not be written whole is cut off again, so that nothing is appended to half a line.
 */
export function fileJournal(files: JournalFiles): Journal & { close(): Promise<void> } {
  let day = "";
  let file: FileHandle | undefined;
  /** The length of the file up to which entries were acknowledged. */
  let length = 0;
  /** This day's abandoned files: a partial line could not be cut off their ends. */
  let spoiled = 0;
  let waiting: { line: string; done(): void; failed(error: Error): void }[] = [];
  let writing: Promise<void> | undefined;
  let removing: Promise<void> = Promise.resolve();

  async function fileOf(today: string): Promise<FileHandle> {
    if (file && day === today) return file;
    await close();
    mkdirSync(files.folder, { recursive: true, mode: 0o700 });
    if (day !== today) {
      spoiled = 0;
      // Not awaited: the caller of `append` may hold the database connection that this check needs.
      removing = removeOld(files).catch(() => {});
    }
    const part = spoiled === 0 ? "" : `.${spoiled}`;
    file = await open(join(files.folder, `${today}.${files.writer}${part}.ndjson`), "a", 0o600);
    length = (await file.stat()).size;
    await syncFolder(files.folder);
    day = today;
    return file;
  }

  async function close(): Promise<void> {
    const former = file;
    file = undefined;
    await former?.close();
  }

  async function append(lines: string): Promise<void> {
    const to = await fileOf(files.now().toISOString().slice(0, 10));
    try {
      await to.appendFile(lines);
      await to.datasync();
      length += Buffer.byteLength(lines);
    } catch (error) {
      await to.truncate(length).catch(async () => {
        spoiled++;
        await close();
      });
      throw error;
    }
  }

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await append(batch.map(({ line }) => line).join(""));
        for (const one of batch) one.done();
      } catch (error) {
        for (const one of batch) one.failed(error as Error);
      }
    }
    writing = undefined;
  }

  return {
    append: (entry) =>
      new Promise((done, failed) => {
        waiting.push({ line: `${JSON.stringify(entry)}\n`, done, failed });
        writing ??= write();
      }),
    async close() {
      await writing;
      await removing;
      await close();
    },
  };
}

/** Without a sync of its folder a file may be missing after a power cut, even if its content was synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeOld({ folder, days, now, isFenced }: JournalFiles): Promise<void> {
  if (await isFenced()) return;
  const oldest = new Date(now().getTime() - days * DAY_MS).toISOString().slice(0, 10);
  for (const name of readdirSync(folder)) {
    const written = NAME.exec(name)?.[1];
    if (written !== undefined && written < oldest) rmSync(join(folder, name), { force: true });
  }
}
