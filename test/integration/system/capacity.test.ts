import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { type CapacityParts, measureCapacity } from "#app/capacity/measure.ts";
import { refuseForeign, writeSettings } from "#app/command/capacity.ts";
import { program } from "#app/command/cli.ts";
import { createScratch } from "#store/database/scratch.ts";
import { emptyDatabase } from "#test/support/database/database.ts";
import { aFolder } from "#test/support/source/folder.ts";

async function rowsOf(url: string, text: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** A server, and what was left on it and on this machine by what ran since. */
async function aServer(t: TestContext) {
  const databaseUrl = await emptyDatabase(t);
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("parley-capacity-"));
  const databases = async () =>
    (await rowsOf(databaseUrl, "select datname from pg_database where datname like 'parley_scratch_%'")).length;
  const before = { folders: folders().length, databases: await databases() };
  return {
    databaseUrl,
    isClean: async () =>
      assert.deepEqual({ folders: folders().length, databases: await databases() }, before, "something was left"),
  };
}

/** As small as it can be: it proves that all is measured, not how fast it is. */
const small = (databaseUrl: string, more: Partial<CapacityParts> = {}): CapacityParts => ({
  databaseUrl,
  seconds: 6,
  mostCalls: 3,
  first: 40,
  signal: new AbortController().signal,
  say: () => {},
  ...more,
});

test("texts, imports and calls are measured on a database that is made for it and dropped, and the server's others are left alone", async (t) => {
  const { databaseUrl, isClean } = await aServer(t);
  const said: string[] = [];
  const { texts, imports, calls } = await measureCapacity(small(databaseUrl, { say: (line) => said.push(line) }));
  for (const measured of [texts, imports]) {
    assert.ok(measured.count >= 40 && measured.seconds > 0, JSON.stringify(measured));
    // A text has several rows, and a contact two.
    assert.ok(measured.logBytesEach > 200 && measured.cpuMsEach > 0, JSON.stringify(measured));
  }
  assert.ok(calls.calls <= 3, JSON.stringify(calls));
  assert.deepEqual(said.slice(1), ["Texts ...", "Imports ...", "Calls with sound ..."]);
  await isClean();
  const tables = await rowsOf(databaseUrl, "select from pg_tables where schemaname = 'public'");
  assert.equal(tables.length, 0);
});

test("a measurement that is stopped leaves nothing behind", async (t) => {
  const { databaseUrl, isClean } = await aServer(t);
  const stopping = new AbortController();
  const say = (line: string) => {
    if (line === "Texts ...") stopping.abort(new Error("stopped"));
  };
  await assert.rejects(measureCapacity(small(databaseUrl, { signal: stopping.signal, say })), /stopped|aborted/);
  await isClean();
});

test("a role that may make no database is refused by a sentence with the way out", async (t) => {
  const databaseUrl = await emptyDatabase(t);
  const role = `parley_test_${Date.now()}`;
  await rowsOf(databaseUrl, `create role ${role} login password 'x'`);
  try {
    const limited = new URL(databaseUrl);
    Object.assign(limited, { username: role, password: "x" });
    await assert.rejects(createScratch(limited.href), /may make no database.*createdb.*unset DATABASE_URL/);
  } finally {
    await rowsOf(databaseUrl, `drop role ${role}`);
  }
});

test("options that cannot be are refused by a sentence before anything is measured", async () => {
  const folder = aFolder("settings");
  const own = join(folder, "own.env");
  writeFileSync(own, "PORT=1\n");
  const parley = (...args: string[]) =>
    program(undefined, () => {}).parseAsync(["capacity", ...args], { from: "user" });
  for (const wrong of ["19", "3601", "2.5", "soon"])
    await assert.rejects(parley("--seconds", wrong), /^Error: --seconds must be a whole number from 20 to 3600$/);
  await assert.rejects(parley("--write", own), /own\.env, which `parley capacity` has not written: name another file$/);
  assert.equal(readFileSync(own, "utf8"), "PORT=1\n");
});

test("a file of settings is written over by the next measurement, and by no other", () => {
  const folder = aFolder("settings");
  const file = join(folder, "capacity.env");
  refuseForeign(file);
  writeSettings(file, { PARLEY_MEDIA_CALLS: "140" });
  refuseForeign(file);
  writeSettings(file, { PARLEY_MEDIA_CALLS: "120" });
  assert.match(readFileSync(file, "utf8"), /^# Written by .*\nPARLEY_MEDIA_CALLS=120\n$/);
});
