import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readJournals } from "#adapters/files/read-journals.ts";
import { until } from "#test/support/api/parley.ts";
import { startProxy, targetOf } from "#test/support/database/tcp-proxy.ts";
import { handsetPath, moveClock } from "#test/support/messaging/handset.ts";
import { assertPromises } from "./checkers.ts";
import { hold } from "./hold.ts";
import { callsOf, callThem } from "./live-calls.ts";
import { drained, newPhones, noon } from "./load.ts";
import { promised, scenario, wants } from "./scenario.ts";
import { startWorld, type World } from "./world.ts";

/** For a node that is lost to be given up, what it left standing to be ended, and another to be there. */
const OUT_WITHIN_MS = promised(60_000);

/** Phones that want no more of us as soon as they are greeted. */
async function phonesStop(world: World, phones: readonly string[]): Promise<void> {
  const script = { behavior: "opt_out", answer_delay_ms: 0 };
  for (const phone of phones) await world.api.put(handsetPath(phone), script);
}

/** The calls whose opt-outs the journals of this machine have. */
async function journaled({ dataDir }: World): Promise<number> {
  const folder = join(dataDir, "journal");
  if (!existsSync(folder)) return 0;
  let count = 0;
  // Half a line may stand at the end: it is being written.
  for await (const entry of readJournals([folder], "media")({ since: undefined, unreadable: () => {} })) {
    if (entry.kind === "opt_out") count++;
  }
  return count;
}

/** A number whose calls end in five opt-outs rests, and what is planned from it waits: fewer are made, and each scenario has a number of its own. */
const CALLS = 4;
const NUMBERS = { died: "+12125550100", away: "+12125550101" };

/** Has contacts say in calls of a new node that they want no more, and nothing of it come to the database until `release`. */
async function optOutsInCalls(world: World, count: number, from: string, env?: Record<string, string>) {
  const phones = newPhones(world, count);
  await phonesStop(world, phones);
  for (const phone of phones) world.acknowledged.saidInCalls.add(phone);
  const before = await journaled(world);
  const campaignId = await callThem(world, phones, from);
  // A claim reads consents, an opt-out writes them.
  const release = await hold(world, "consents");
  const media = await world.startMedia(env);
  await until("its journal has them", async () => (await journaled(world)) - before === count);
  await until("it has started", async () => {
    const rows = await world.sql("select from nodes where id = $1 and cardinality(queue_workers) > 0", [
      media.nodeId(),
    ]);
    return rows.length === 1;
  });
  return { phones, campaignId, release, media };
}

/** Waits until all are opted out and their calls are over; that each was written once, and that nobody is called again. */
async function areOut(world: World, campaignId: string, phones: readonly string[]) {
  await until(
    "all are opted out, and no call is open",
    async () => {
      const [row] = await world.sql<{ out: number; open: number }>(
        `select (select count(*)::int from consents where phone = any($1) and opt_out_source = 'call' and doubted_at is null) as out,
           (select count(*)::int from calls where phone = any($1) and status in ('registered', 'ongoing')) as open`,
        [phones],
      );
      return row!.out === phones.length && row!.open === 0;
    },
    OUT_WITHIN_MS,
  );
  await drained(world);
  await moveClock(world.api, { advance_ms: 120_000 });
  await until("nothing of the campaign is to come", async () => {
    const rows = await world.sql("select from dials where phone = any($1) and due_at is not null", [phones]);
    return rows.length === 0;
  });
  const times = await world.sql<{ times: number; records: number }>(
    `select (select count(*)::int from simulator_calls where handset = phone) as times,
       (select count(*)::int from consent_records record where record.phone = consents.phone and event = 'revoked') as records
     from consents where phone = any($1)`,
    [phones],
  );
  assert.deepEqual(
    times.filter((row) => row.times !== 1 || row.records !== 1),
    [],
  );
  return (await callsOf(world, campaignId)).map(({ status }) => status);
}

test("opt-outs that are said in calls, and do not come to the database", async (t) => {
  if (!wants("F34-died", "F34-away")) return;
  const count = CALLS;
  const world = await startWorld(t, { workers: 1, env: { PARLEY_SIMULATOR_CALLS: "text" } });
  await noon(world);

  await scenario(t, "F34-died", "kill -9 of a media node that has recognised opt-outs and written none", async () => {
    const { phones, campaignId, release, media } = await optOutsInCalls(world, count, NUMBERS.died);
    await media.kill();
    await release();
    const next = await world.startMedia();
    const ends = await areOut(world, campaignId, phones);
    const found = await assertPromises(world);
    await next.kill("SIGTERM");
    return {
      tried: { calls: count },
      found: { ...found, ends: ends.length },
      says: `a node died with ${count} opt-outs in its journal alone; the next one wrote each once, their calls ended, and nobody was called again.`,
    };
  });

  await scenario(t, "F34-away", "the network of a media node gone when opt-outs are said in its calls", async (t) => {
    const proxy = await startProxy(t, targetOf(world.databaseUrl));
    const env = { DATABASE_URL: proxy.url(world.databaseUrl) };
    const { phones, campaignId, release, media } = await optOutsInCalls(world, count, NUMBERS.away, env);
    proxy.set({ partition: true });
    await release();
    await until(
      "others have given its calls up",
      async () => (await callsOf(world, campaignId)).every(({ status }) => status === "error"),
      OUT_WITHIN_MS,
    );
    proxy.set({});
    proxy.reset();
    await areOut(world, campaignId, phones);
    const found = await assertPromises(world);
    await media.kill("SIGTERM");
    return {
      tried: { calls: count },
      found,
      says: `${count} opt-outs were said to a node that could not reach its database until its calls were given up; each was written once, and nobody was called again.`,
    };
  });
});
