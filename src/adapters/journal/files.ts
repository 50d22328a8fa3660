import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Journal, JournalEntry } from "#ports/journal.ts";

const DAY_MS = 86_400_000;
const NAME = /^(\d{4}-\d{2}-\d{2})\..+\.ndjson$/;

export type JournalFiles = {
  folder: string;
  /** Tells this process's file from its neighbours'. */
  writer: string;
  /** Files of days before these are removed. */
  days: number;
  now(): Date;
};

/**
 * Appends entries to one file a day and process, a JSON line each. Entries that come while the disk is busy are written
 * and synced together.
 */
export function fileJournal(it: JournalFiles): Journal & { close(): Promise<void> } {
  let day = "";
  let file: FileHandle | undefined;
  let waiting: { line: string; done(): void; failed(error: Error): void }[] = [];
  let writing: Promise<void> | undefined;

  async function fileOf(today: string): Promise<FileHandle> {
    if (file && day === today) return file;
    await file?.close();
    file = undefined;
    mkdirSync(it.folder, { recursive: true, mode: 0o700 });
    removeOld(it.folder, it.days, it.now());
    file = await open(join(it.folder, `${today}.${it.writer}.ndjson`), "a", 0o600);
    day = today;
    return file;
  }

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const to = await fileOf(it.now().toISOString().slice(0, 10));
        await to.appendFile(batch.map(({ line }) => line).join(""));
        await to.datasync();
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
      await file?.close();
      file = undefined;
    },
  };
}

function removeOld(folder: string, days: number, now: Date): void {
  const oldest = new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10);
  for (const name of readdirSync(folder)) {
    const written = NAME.exec(name)?.[1];
    if (written !== undefined && written < oldest) rmSync(join(folder, name), { force: true });
  }
}

/**
 * Every entry of a folder's files, file by file. The last line of a file may have been cut off by a crash: it was never acknowledged.
 * A folder that is not there has none: nothing was ever sent.
 */
export async function* readJournal(folder: string): AsyncGenerator<JournalEntry> {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).sort()) {
    if (!NAME.test(name)) continue;
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      const entry = parse(line);
      if (entry) yield entry;
    }
  }
}

function parse(line: string): JournalEntry | undefined {
  try {
    return JSON.parse(line) as JournalEntry;
  } catch {
    return undefined;
  }
}
