import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "#test/support/api/parley.ts";
import { moveClock } from "#test/support/messaging/handset.ts";
import { percentile } from "#test/support/messaging/ledger.ts";
import { assertPromises, CANARY } from "./checkers.ts";
import { aRun, drained, newPhones, noon, recoveries, say, seeded, spread } from "./load.ts";
import { options, promised, type Report } from "./scenario.ts";
import type { World } from "./world.ts";

export type KillRun = {
  texts: number;
  kills: number;
  /** Between two kills, at least; a worker that is still starting has nothing to lose and is waited for. */
  everyMs: number;
  seed: number;
  /** Texts that may be left as unknown for each kill, where the carrier cannot be asked: then its receipts, however late, settle the others. */
  unknownPerKill?: number;
};

/**
 * Later than any look-up: what is found out about a dead worker's texts is found out by asking. In a short run, on a machine that may be
 * late by any time, they come only when the clock is moved: `receiptsCome`.
 */
export const LATE_RECEIPTS_MS = options.long ? "6000" : "600000";

/** Has the receipts come that are that late, and waits until they are taken in. */
export async function receiptsCome(world: World): Promise<void> {
  for (const api of [world.api, world.other]) await moveClock(api, { advance_ms: Number(LATE_RECEIPTS_MS) });
  await drained(world);
}

/** The promise of a killed process's work, where the carrier can be asked about it. From the kill itself. */
export const SETTLED_WITHIN_MS = promised(5_000);

const SHARE_OF_STOPS = 0.05;
const SHARE_OF_TALK = 0.02;
/** Past the last kill, for what is left of the campaign. */
const FINISH_WITHIN_MS = 600_000;

/** The rate at which a campaign lasts as long as the kills do. */
export const rateFor = ({ texts, kills, everyMs }: KillRun): number =>
  Math.max(20, Math.ceil((texts / ((kills * everyMs) / 1000)) * 1.1));

/** A worker that has texts on their way at this moment, if there is one: it has the most to lose. */
async function busyOne(world: World) {
  const rows = await world.sql<{ node_id: string }>("select distinct node_id from attempts where state = 'in_flight'");
  return world.workers.find((worker) => rows.some((row) => row.node_id === worker.nodeId()));
}

/**
 * Kills workers at moments that follow from the seed while a campaign goes out and its contacts say STOP and talk, until
 * as many have died as are wanted; then lets it finish, and checks every promise.
 */
export async function killRun(world: World, run: KillRun): Promise<Report> {
  const random = seeded(run.seed);
  await noon(world);
  const begin = performance.now();
  const canaries = await aRun(world, { api: world.other, phones: newPhones(world, 50) });
  const { campaignId, phones } = await aRun(world, {
    phones: newPhones(world, run.texts),
    agent: { drip_schedule: [{ day: 1, message: "Still there?" }] },
  });
  const talking = new AbortController();
  const voices = phones
    .map((phone) => ({ phone, chance: random() }))
    .filter(({ chance }) => chance < SHARE_OF_STOPS + SHARE_OF_TALK)
    .map(({ phone, chance }) => ({ phone, text: chance < SHARE_OF_STOPS ? "STOP" : "Yes, tell me more" }));
  const said = spread(
    voices,
    run.kills * run.everyMs * 0.9,
    ({ phone, text }) => say(world, phone, text),
    talking.signal,
  );
  // Of the others too, some who talk and one in five who stops: each with words that no tenant but theirs may ever see.
  const othersSaid = spread(
    canaries.phones.filter((_, i) => i % 2 === 0),
    run.kills * run.everyMs * 0.9,
    (phone) => say(world, phone, phone.endsWith("0") ? "STOP" : `Yes, tell me more about ${CANARY}`, world.other),
    talking.signal,
  );
  // A failure is awaited below; until then it must not end the process.
  said.catch(() => {});
  othersSaid.catch(() => {});

  const killedAt = new Map<string, number>();
  const starting = new Set<Promise<unknown>>();
  while (killedAt.size < run.kills) {
    await pause(run.everyMs * (0.7 + 0.6 * random()));
    await until("two workers are up", async () => world.workers.length >= 2, 60_000);
    const victim = (await busyOne(world)) ?? world.workers[Math.floor(random() * world.workers.length)]!;
    world.workers.splice(world.workers.indexOf(victim), 1);
    killedAt.set(victim.nodeId(), Date.now());
    await victim.kill();
    const next = world.startWorker();
    starting.add(next);
    next.then(
      () => starting.delete(next),
      () => {},
    );
  }
  await Promise.all(starting);
  const spoke = (await said) + (await othersSaid);
  talking.abort();
  // Whoever has said STOP is on the next list too, as it happens.
  const again = await aRun(world, { phones: voices.map(({ phone }) => phone), agent: { drip_schedule: [] } });
  const isOver = async () => {
    for (const id of [campaignId, again.campaignId]) {
      const { body } = await world.api.get(`/v1/campaigns/${id}`);
      const { scheduled = 0, held = 0, sending = 0 } = body.campaign.counts;
      if (scheduled + held + sending > 0) return false;
    }
    return true;
  };
  await until("everybody has been reached", isOver, FINISH_WITHIN_MS);
  await drained(world);

  // By the clock as it is now.
  const times = await recoveries(world, killedAt);
  await receiptsCome(world);
  const found = await assertPromises(world, { unknown: (run.unknownPerKill ?? 0) * run.kills });
  const recoveryMs = {
    recovered: times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    max: times.at(-1) ?? 0,
  };
  const seconds = Math.round((performance.now() - begin) / 1000);
  assert.ok(times.length > 0, "no kill found anything on its way");
  if (run.unknownPerKill === undefined)
    assert.ok(recoveryMs.max < SETTLED_WITHIN_MS, `settled only ${recoveryMs.max} ms after a kill`);
  return {
    tried: {
      texts: run.texts,
      others: canaries.phones.length,
      kills: killedAt.size,
      said: spoke,
      lostReplies: options.lost,
    },
    found: { ...found, recoveryMs, seconds },
    says:
      `${run.texts} texts, ${killedAt.size} kills, ${options.lost * 100} % of replies lost: ${found.duplicates} sent twice, ${found.lost} lost, ` +
      `${found.unknown} unknown, ${found.afterOptOut} after a STOP; recovery p50 ${recoveryMs.p50} ms, p99 ${recoveryMs.p99} ms, max ${recoveryMs.max} ms.`,
  };
}
