import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { JournalEntry } from "#ports/journal.ts";
import { fileJournal, readJournal } from "./files.ts";

const TENANT = "018f0000-0000-7000-8000-000000000001";
const entry = (phone: string): JournalEntry => ({
  kind: "opt_out",
  at: "2026-11-20T12:00:00.000Z",
  tenantId: TENANT,
  phone,
  source: "keyword",
});

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-journal-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "journal");
}

const read = async (folder: string) => {
  const found: JournalEntry[] = [];
  for await (const one of readJournal(folder)) found.push(one);
  return found;
};

test("every entry that was acknowledged can be read again, in order", async (t) => {
  const folder = folderOf(t);
  const journal = fileJournal({ folder, writer: "a", days: 3, now: () => new Date("2026-11-20T12:00:00Z") });
  const entries = Array.from({ length: 50 }, (_, i) => entry(`+1212555${1000 + i}`));
  await Promise.all(entries.map((one) => journal.append(one)));
  assert.deepEqual(await read(folder), entries);
  await journal.close();
});

test("a file is for its owner's eyes, one a day, and gone after the days it is kept", async (t) => {
  const folder = folderOf(t);
  let now = new Date("2026-11-20T23:59:59Z");
  const journal = fileJournal({ folder, writer: "a", days: 1, now: () => now });
  await journal.append(entry("+12125551000"));
  assert.equal(statSync(join(folder, "2026-11-20.a.ndjson")).mode & 0o077, 0);
  now = new Date("2026-11-21T00:00:01Z");
  await journal.append(entry("+12125551001"));
  assert.equal(readdirSync(folder).length, 2);
  now = new Date("2026-11-22T00:00:01Z");
  await journal.append(entry("+12125551002"));
  assert.deepEqual(readdirSync(folder).sort(), ["2026-11-21.a.ndjson", "2026-11-22.a.ndjson"]);
  await journal.close();
});

test("a line that a crash cut off is passed over", async (t) => {
  const folder = folderOf(t);
  const journal = fileJournal({ folder, writer: "a", days: 1, now: () => new Date("2026-11-20T12:00:00Z") });
  await journal.append(entry("+12125551000"));
  await journal.close();
  appendFileSync(join(folder, "2026-11-20.a.ndjson"), '{"kind":"opt_o');
  assert.deepEqual(await read(folder), [entry("+12125551000")]);
});

test("an entry that cannot be written is a failure of its append, and the next one may succeed", async (t) => {
  const folder = folderOf(t);
  // A file stands where the folder should be.
  writeFileSync(folder, "");
  const journal = fileJournal({ folder, writer: "a", days: 1, now: () => new Date("2026-11-20T12:00:00Z") });
  await assert.rejects(journal.append(entry("+12125551000")));
  rmSync(folder);
  await journal.append(entry("+12125551001"));
  assert.deepEqual(await read(folder), [entry("+12125551001")]);
  await journal.close();
});
