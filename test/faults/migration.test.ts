import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { migrate, migrationNames } from "#store/migrate.ts";
import { BOOTSTRAP_KEY, client as clientOf } from "#test/support/parley.ts";
import { assertPromises } from "./checkers.ts";
import { aRun, drained, newPhones, noon, say, spread } from "./load.ts";
import { scenario, size } from "./scenario.ts";
import { startWorld, type World } from "./world.ts";

/** What the next release's expansion might be: it wants the busiest tables for a moment, and brings one of its own. */
const NEXT = `
  alter table campaigns add column next_release text;
  alter table threads add column next_release text;
  alter table messages add column next_release text;
  create table next_things (tenant_id uuid not null references tenants, id uuid not null, primary key (tenant_id, id));`;

/** Longer than anybody may wait for a table, in a short run too: a migration that does not let go keeps others waiting for all of it. */
const REPORT_MS = size(0, 8_000, 20_000);
/** For each of its three tables a migration waits 1 s, with the ones before it in its hands; in a short run on a machine that may stand still. */
const LONGEST_WAIT_MS = size(0, 6_000, 3_000);

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
        12_000,
        (phone) => say(world, phone, "Yes, tell me more"),
        world.ending,
      );
      said.catch(() => {});

      const done = new AbortController();
      const over = AbortSignal.any([done.signal, world.ending]);
      const answers = asking(world.api, over);
      const waits = watching(world.sql, over);
      waits.catch(() => {});

      // Somebody reads for a while, as a report or a backup does: the migration cannot have the tables meanwhile.
      const report = new pg.Client({ connectionString: world.databaseUrl });
      await report.connect();
      report.on("error", () => {});
      await report.query("begin; select count(*) from messages");
      const folder = mkdtempSync(join(tmpdir(), "parley-next-"));
      t.after(() => rmSync(folder, { recursive: true }));
      writeFileSync(join(folder, "9999-next.sql"), NEXT);
      const begin = performance.now();
      const migrated = migrate(world.databaseUrl, {
        names: [...migrationNames(), "9999-next.sql"],
        folder: pathToFileURL(`${folder}/`),
      });
      migrated.catch(() => {});
      await pause(REPORT_MS);
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
      const longestMs = await waits;
      assert.deepEqual(
        asked.filter(({ status }) => status >= 500 || status === 0),
        [],
      );
      assert.ok(longestMs < LONGEST_WAIT_MS, `somebody waited ${longestMs} ms for a lock`);
      const slowestMs = Math.round(Math.max(...asked.map(({ ms }) => ms)));
      const found = await assertPromises(world);
      return {
        tried: { texts, requests: asked.length, reportMs: migratedMs },
        found: { ...found, serverErrors: 0, slowestMs, longestLockWaitMs: longestMs },
        says: `a migration waited ${migratedMs} ms for a report to end: ${asked.length} requests meanwhile, none failed, the slowest ${slowestMs} ms, no lock was waited for longer than ${longestMs} ms; this release then started over the new schema.`,
      };
    },
  );
});

/** Asks for lists, one after the other, until the signal; again, as it is told to, where the machine has too much to do. */
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

/** The longest that a session of the service was seen to wait for a table, until the signal. */
async function watching(sql: (text: string) => Promise<{ ms: number | null }[]>, signal: AbortSignal): Promise<number> {
  let longest = 0;
  while (!signal.aborted) {
    const [row] = await sql(
      `select max(extract(epoch from clock_timestamp() - waitstart) * 1000)::int as ms from pg_locks
       where not granted and locktype = 'relation' and database = (select oid from pg_database where datname = current_database())`,
    );
    longest = Math.max(longest, row?.ms ?? 0);
    await pause(ASK_EVERY_MS);
  }
  return longest;
}
