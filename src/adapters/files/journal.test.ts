import assert from "node:assert/strict";
import { appendFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { JournalEntry } from "#ports/journal.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { fileJournal, type JournalFiles } from "./journal.ts";
import { readJournals } from "./read-journals.ts";

const NOON = new Date("2026-11-20T12:00:00Z");
const TENANT = "018f0000-0000-7000-8000-000000000001";
const entry = (phone: string): JournalEntry => ({
  kind: "opt_out",
  at: "2026-11-20T12:00:00.000Z",
  tenantId: TENANT,
  phone,
  source: "keyword",
});

const folderOf = (): string => join(aFolder("journal"), "journal");

const aJournal = (folder: string, more: Partial<JournalFiles> = {}) =>
  fileJournal({ folder, writer: "a", days: 1, now: () => NOON, isFenced: async () => false, ...more });

async function readAll(folder: string, since?: Date): Promise<{ entries: JournalEntry[]; unreadable: string[] }> {
  const found = { entries: [] as JournalEntry[], unreadable: [] as string[] };
  const unreadable = (where: string) => void found.unreadable.push(where);
  for await (const one of readJournals([folder])({ since, unreadable })) found.entries.push(one);
  return found;
}

const read = async (folder: string) => (await readAll(folder)).entries;

const FILE = "2026-11-20.a.ndjson";

test("every entry that was acknowledged can be read again, in order", async () => {
  const folder = folderOf();
  const journal = aJournal(folder);
  const entries = Array.from({ length: 50 }, (_, i) => entry(`+1212555${1000 + i}`));
  await Promise.all(entries.map((one) => journal.append(one)));
  assert.deepEqual(await read(folder), entries);
  await journal.close();
});

test("a file is for its owner's eyes, one a day, and gone after the days it is kept", async () => {
  const folder = folderOf();
  let now = new Date("2026-11-20T23:59:59Z");
  const journal = aJournal(folder, { days: 1, now: () => now });
  await journal.append(entry("+12125551000"));
  assert.equal(statSync(join(folder, "2026-11-20.a.ndjson")).mode & 0o077, 0);
  now = new Date("2026-11-21T00:00:01Z");
  await journal.append(entry("+12125551001"));
  assert.equal(readdirSync(folder).length, 2);
  now = new Date("2026-11-22T00:00:01Z");
  await journal.append(entry("+12125551002"));
  await journal.close();
  assert.deepEqual(readdirSync(folder).sort(), ["2026-11-21.a.ndjson", "2026-11-22.a.ndjson"]);
});

test("nothing is removed while the database is fenced, or cannot be asked", async () => {
  for (const isFenced of [async () => true, () => Promise.reject(new Error("away"))]) {
    const folder = folderOf();
    const journal = aJournal(folder, { isFenced });
    await journal.append(entry("+12125551000"));
    writeFileSync(join(folder, "2026-10-01.b.ndjson"), "");
    await journal.close();
    const later = aJournal(folder, { isFenced, now: () => new Date("2026-11-25T12:00:00Z") });
    await later.append(entry("+12125551001"));
    await later.close();
    assert.deepEqual(readdirSync(folder).sort(), ["2026-10-01.b.ndjson", FILE, "2026-11-25.a.ndjson"]);
  }
});

test("a line that a crash cut off is passed over", async () => {
  const folder = folderOf();
  const journal = aJournal(folder);
  await journal.append(entry("+12125551000"));
  await journal.close();
  appendFileSync(join(folder, FILE), '{"kind":"opt_o');
  assert.deepEqual(await read(folder), [entry("+12125551000")]);
});

test("an entry that cannot be written is a failure of its append, and the next one may succeed", async () => {
  const folder = folderOf();
  // A file stands where the folder should be.
  writeFileSync(folder, "");
  const journal = aJournal(folder);
  await assert.rejects(journal.append(entry("+12125551000")));
  rmSync(folder);
  await journal.append(entry("+12125551001"));
  assert.deepEqual(await read(folder), [entry("+12125551001")]);
  await journal.close();
});

/** The disk is full in the middle of the next entry; cutting its half off again fails as often as `truncates` says. */
async function fillDisk(t: TestContext, folder: string, truncates: number): Promise<void> {
  const any = await open(join(folder, FILE), "r");
  const handles = Object.getPrototypeOf(any) as FileHandle;
  await any.close();
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  t.mock.method(
    handles,
    "appendFile",
    async function (this: FileHandle, text: string) {
      await this.write(text.slice(0, text.length / 2));
      throw full;
    },
    { times: 1 },
  );
  if (truncates > 0) t.mock.method(handles, "truncate", () => Promise.reject(full), { times: truncates });
}

for (const [how, truncates] of [
  ["is cut off again", 0],
  ["stays, and another file is begun", 1],
] as const) {
  test(`after a full disk half an entry ${how}: what is acknowledged next can be read`, async (t) => {
    const folder = folderOf();
    const journal = aJournal(folder);
    await journal.append(entry("+12125551000"));
    await fillDisk(t, folder, truncates);
    await assert.rejects(journal.append(entry("+12125551001")), /no space left/);
    await journal.append(entry("+12125551002"));
    await journal.append(entry("+12125551003"));
    await journal.close();
    const { entries, unreadable } = await readAll(folder);
    assert.deepEqual(entries.map((entry) => "phone" in entry && entry.phone).sort(), [
      "+12125551000",
      "+12125551002",
      "+12125551003",
    ]);
    assert.deepEqual(unreadable, []);
    assert.equal(readdirSync(folder).length, 1 + truncates);
  });
}

test("a line that cannot be read, or is of a newer version, is reported, unless a crash may have cut it off", async () => {
  const folder = folderOf();
  const journal = aJournal(folder);
  await journal.append(entry("+12125551000"));
  await journal.close();
  const whole = JSON.stringify(entry("+12125551001"));
  const lines = [whole.slice(0, 9) + whole, '{"kind":"of tomorrow"}', "nonsense", whole, whole.slice(0, 20)];
  appendFileSync(join(folder, FILE), lines.join("\n"));
  const { entries, unreadable } = await readAll(folder);
  assert.equal(entries.length, 2);
  const at = (line: number) => `${join(folder, FILE)}, line ${line}`;
  assert.deepEqual(unreadable, [at(2), at(3), at(4)]);
  appendFileSync(join(folder, FILE), whole);
  assert.deepEqual((await readAll(folder)).unreadable, [at(2), at(3), at(4), at(6)]);
});

test("files of days before the one that is asked for are passed over", async () => {
  const folder = folderOf();
  for (const day of ["2026-11-18", "2026-11-19", "2026-11-20"]) {
    const journal = aJournal(folder, { days: 9, now: () => new Date(`${day}T12:00:00Z`) });
    await journal.append(entry(day));
    await journal.close();
  }
  const { entries } = await readAll(folder, new Date("2026-11-19T23:00:00Z"));
  assert.deepEqual(
    entries.map((entry) => "phone" in entry && entry.phone),
    ["2026-11-19", "2026-11-20"],
  );
});
