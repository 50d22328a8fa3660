import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { migrate, migrationNames } from "#store/database/migrate.ts";
import { BOOTSTRAP_KEY, client as clientOf, until } from "#test/support/api/parley.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { assertPromises } from "./checkers.ts";
import { aRun, drained, newPhones, noon, say, spread } from "./load.ts";
import { options, promised, scenario, size } from "./scenario.ts";
import { startWorld, type World } from "./world.ts";

/** What the next release's expansion might be: it locks the busiest tables for a moment, and brings one of its own. */
const NEXT = `
  alter table campaigns add column next_release text;
  alter table threads add column next_release text;
  alter table messages add column next_release text;
  create table next_things (tenant_id uuid not null references tenants, id uuid not null, primary key (tenant_id, id));`;

/** How long somebody reads; in a short run for as long as it takes the migration to let go and come again so many times. */
const REPORT_MS = 20_000;
const TRIES = 3;
/** For each of its three tables a migration waits 1 s, with the ones before it in its hands. */
const LONGEST_WAIT_MS = promised(3_000);
/** Over which contacts write. */
const SAY_FOR_MS = size(0, 6_000, 12_000);

const ASK_EVERY_MS = 40;

test("the next release's migration", async (t) => {
  await scenario(
    t,
    "F39",
    "the schema moves on under load and under a long report, and this release stays",
    async (t) => {
      const world = await startWorld(t, {
        workers: 2,
        env: { PARLEY_SIMULATOR_RATE: "60", PARLEY_SIMULATOR_RECEIPT_MS: "200" },
      });
      await noon(world);
      const texts = size(0, 500, 6_000);
      const phones = newPhones(world, texts);
      await aRun(world, { phones, agent: { drip_schedule: [] } });
      const said = spread(
        phones.slice(0, texts / 20),
        SAY_FOR_MS,
        (phone) => say(world, phone, "Yes, tell me more"),
        world.ending,
      );
      said.catch(() => {});

      const done = new AbortController();
      const over = AbortSignal.any([done.signal, world.ending]);
      const answers = asking(world.api, over);
      const { seen, watched } = watching(world.sql, over);
      watched.catch(() => {});

      // Somebody reads for a while, as a report or a backup does: the migration cannot have the tables meanwhile.
      const report = new pg.Client({ connectionString: world.databaseUrl });
      await report.connect();
      report.on("error", () => {});
      await report.query("begin; select count(*) from messages");
      const folder = aFolder("next");
      writeFileSync(join(folder, "9999-next.sql"), NEXT);
      const begin = performance.now();
      const migrated = migrate(world.databaseUrl, {
        names: [...migrationNames(), "9999-next.sql"],
        folder: pathToFileURL(`${folder}/`),
      });
      migrated.catch(() => {});
      if (options.long) await pause(REPORT_MS);
      // One that held on to what it waits for would keep all others waiting until the report ends.
      await until("the migration has let go and come again", async () => seen.tries.size >= TRIES);
      await report.end();
      assert.deepEqual(await migrated, ["9999-next.sql"]);
      const migratedMs = Math.round(performance.now() - begin);

      // Rolled back, or not rolled out everywhere: this release starts, and works, over the next one's schema.
      await world.replaceWorker(world.workers[0]!);
      const older = await world.startApi();
      assert.equal((await clientOf(older.url!, BOOTSTRAP_KEY).get("/readyz")).status, 200);
      await said;
      await drained(world, 120_000);
      done.abort();
      const asked = await answers;
      await watched;
      const { longestMs, tries } = seen;
      assert.deepEqual(
        asked.filter(({ status }) => status >= 500 || status === 0),
        [],
      );
      assert.ok(longestMs < LONGEST_WAIT_MS, `somebody waited ${longestMs} ms for a lock`);
      const slowestMs = Math.round(Math.max(...asked.map(({ ms }) => ms)));
      const found = await assertPromises(world);
      return {
        tried: { texts, requests: asked.length, reportMs: migratedMs, tries: tries.size },
        found: { ...found, serverErrors: 0, slowestMs, longestLockWaitMs: longestMs },
        says: `a migration waited ${migratedMs} ms for a report to end: ${asked.length} requests meanwhile, none failed, the slowest ${slowestMs} ms, no lock was waited for longer than ${longestMs} ms; this release then started over the new schema.`,
      };
    },
  );
});

/** Asks for lists, one after the other, until the signal; again, after the time in the answer, where the machine has too much to do. */
async function asking(api: World["api"], signal: AbortSignal) {
  const answers: { status: number; ms: number }[] = [];
  while (!signal.aborted) {
    const begin = performance.now();
    const answer = await api.get("/v1/organizations").catch(() => undefined);
    if (answer?.body.code === "overloaded") await pause(Number(answer.headers.get("retry-after")) * 1_000);
    else answers.push({ status: answer?.status ?? 0, ms: performance.now() - begin });
    await pause(ASK_EVERY_MS);
  }
  return answers;
}

/** What was seen of those who wait for a table: the longest wait, and when each of the migration's for the one that is read began. */
type Waits = { longestMs: number; tries: Set<string> };

/** Looks for sessions that wait for a table, until the signal. */
function watching(sql: World["sql"], signal: AbortSignal): { seen: Waits; watched: Promise<void> } {
  const seen: Waits = { longestMs: 0, tries: new Set() };
  const watch = async () => {
    for (; !signal.aborted; await pause(ASK_EVERY_MS)) {
      const rows = await sql<{ ms: number; since: string; migrates: boolean }>(
        `select (extract(epoch from clock_timestamp() - waitstart) * 1000)::int as ms, waitstart::text as since,
           mode = 'AccessExclusiveLock' and relation = 'messages'::regclass as migrates from pg_locks
         where not granted and waitstart is not null and locktype = 'relation'
           and database = (select oid from pg_database where datname = current_database())`,
      );
      for (const { ms, since, migrates } of rows) {
        seen.longestMs = Math.max(seen.longestMs, ms);
        if (migrates) seen.tries.add(since);
      }
    }
  };
  return { seen, watched: watch() };
}
