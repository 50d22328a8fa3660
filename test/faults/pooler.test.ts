import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#test/support/api/parley.ts";
import { createDatabase } from "#test/support/database/database.ts";
import { isInstalled, startPgBouncer } from "#test/support/database/pgbouncer.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import { assertPromises } from "./checkers.ts";
import { aRun, drained, newPhones, noon, say, seeded, spread, taken } from "./load.ts";
import { options, scenario, size } from "./scenario.ts";
import { startWorld } from "./world.ts";

const RATE = options.rate || 40;
/** Of the contacts, those who say STOP, and those who answer. */
const [STOPS, ANSWERS] = [0.06, 0.12];
/** Sessions of PostgreSQL for all that goes by PgBouncer, of an api and two workers: far fewer than they have connections. */
const SESSIONS = 8;

test("sessions are shared by PgBouncer's transaction mode", async (t) => {
  await scenario(
    t,
    "POOLER",
    "a campaign by way of PgBouncer in transaction mode, which is killed, as workers are",
    async (t) => {
      if (!isInstalled()) return { skip: "pgbouncer is not installed" };
      const texts = size(options.texts, 400, 6_000);
      const kills = size(options.kills, 2, 10);
      const closing: (() => unknown)[] = [];
      const owner: Owner = { after: (close) => closing.unshift(close) };
      const { url, drop } = await createDatabase();
      owner.after(drop);
      const pooler = await startPgBouncer(owner, url, { sessions: SESSIONS });
      const world = await startWorld(t, {
        workers: 2,
        databaseUrl: url,
        reachedBy: pooler.url,
        env: { DATABASE_SESSION_URL: url, PARLEY_SIMULATOR_RATE: String(RATE), PARLEY_SIMULATOR_RECEIPT_MS: "200" },
      });
      // After the world's processes, which were given over first.
      t.after(async () => {
        for (const close of closing) await close();
      });
      await noon(world);
      const phones = newPhones(world, texts);
      await aRun(world, { phones, agent: { drip_schedule: [] } });
      const random = seeded(options.seed);
      const speaking = phones.flatMap((phone) => {
        const drawn = random();
        if (drawn < STOPS) return [{ phone, text: "STOP" }];
        return drawn < STOPS + ANSWERS ? [{ phone, text: "Yes, tell me more" }] : [];
      });
      const said = spread(speaking, (texts / RATE) * 1_000, ({ phone, text }) => say(world, phone, text), world.ending);
      said.catch(() => {});
      let most = 0;
      for (let i = 1; i <= kills; i++) {
        await until(
          "a share of the texts has left",
          async () => (await taken(world)) >= (texts * i) / (kills + 2),
          180_000,
        );
        most = Math.max(most, await sessionsNow(world));
        // In turn the pooler, with whatever is in its hands, and a worker.
        await pooler.kill();
        await pooler.start();
        await world.replaceWorker(world.workers[0]!);
      }
      const words = await said;
      await drained(world);
      const found = await assertPromises(world);
      assert.ok(most > 0 && most <= SESSIONS, `${most} sessions by the pooler`);
      return {
        tried: { texts, rate: RATE, said: words, poolerKilled: kills, workersKilled: kills, sessions: SESSIONS },
        found: { ...found, mostSessions: most },
        says: `${texts} texts at ${RATE}/s over ${SESSIONS} sessions in transaction mode, PgBouncer and a worker killed ${kills} times each: ${found.duplicates} twice, ${found.lost} lost, ${found.afterOptOut} after a STOP.`,
      };
    },
  );
});

/** Sessions that work for the service by the pooler: those of one's own are called by what they are for. */
const sessionsNow = async ({ sql }: Awaited<ReturnType<typeof startWorld>>): Promise<number> =>
  (
    await sql<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name ~ '^parley (api|worker|media)'`,
    )
  )[0]!.n;
