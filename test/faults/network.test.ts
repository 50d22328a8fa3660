import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { wire } from "#app/context.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import * as nodes from "#store/system/nodes.ts";
import { until } from "#test/support/api/parley.ts";
import { createDatabase } from "#test/support/database/database.ts";
import { type Faults, startProxy, targetOf } from "#test/support/database/tcp-proxy.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import { aCarrier, accepted, aSending, drain, states, withCarrier } from "#test/support/messaging/sending.ts";
import { assertPromises } from "./checkers.ts";
import { aRun, drained, newPhones, noon, say, seeded, spread } from "./load.ts";
import { options, scenario, size, wants } from "./scenario.ts";
import { startWorld } from "./world.ts";

/** Past the settle time of a doubt. */
const LATER_MS = 5_000;

test("a worker is cut off from the database while the carrier can be reached", async (t) => {
  await scenario(t, "F36", "network partition between worker and database, in the middle of a hand-over", async (t) => {
    const { ctx: near, client, lane, api } = await aSending(t, 40);
    const proxy = await startProxy(t, targetOf(api.databaseUrl));
    const { ctx, close } = wire(api.config, proxy.url(api.databaseUrl), "far");
    t.after(close);
    const node = await nodes.join(proxy.url(api.databaseUrl), ctx.db, {
      id: ctx.newId(),
      roles: ["worker"],
      now: ctx.now,
    });
    t.after(() => node.abandon());
    // A carrier of its own, which no partition of ours concerns: it takes what it is handed, then the cable is pulled.
    let isCut = false;
    const carrier = aCarrier((text) => {
      if (!isCut) {
        isCut = true;
        proxy.set({ partition: true });
      }
      return accepted(text);
    });
    const far = { ...withCarrier(ctx, carrier), node: { id: node.id, alive: node.alive } };
    // A process that was held up between its claim and its last look puts the texts back, and its drain is over.
    const drainUntilCut = async () => {
      while (!isCut) await drain(far, lane);
    };
    const cut = drainUntilCut().catch((error: Error) => error.message);
    await until("the carrier has them", async () => carrier.handed.length >= 40);
    const { not_sent: heldUp } = await states(client, "attempts");
    const seen = performance.now();
    await until("the far one knows that it may send nothing", async () => !node.alive());
    const quietMs = Math.round(performance.now() - seen);

    const recover = (aheadMs = 0) => recoverAttempts(withCarrier(near, carrier, aheadMs), new AbortController().signal);
    await until("its place is found empty", async () => {
      await recover();
      return ((await states(client, "attempts")).uncertain ?? 0) === 40;
    });
    const lostMs = Math.round(performance.now() - seen);
    await recover(LATER_MS);
    assert.deepEqual(await states(client, "attempts"), { accepted: 40, ...(heldUp ? { not_sent: heldUp } : {}) });
    await drain(withCarrier(near, carrier, LATER_MS), lane);

    proxy.set({});
    proxy.reset();
    const said = await cut;
    assert.equal(carrier.handed.length, 40, "nothing was handed over twice");
    assert.deepEqual(await states(client, "messages"), { accepted: 40 });
    await assertLedger(client);
    return {
      tried: { texts: 40 },
      found: {
        handedOver: carrier.handed.length,
        quietMs,
        lostMs,
        itsOwnSettling: said ?? "late, and changed nothing",
      },
      says: `the carrier took 40 texts and the way back was cut: the worker fell silent after ${quietMs} ms, was found lost after ${lostMs} ms, and what it had sent was found with the carrier; none went twice.`,
    };
  });
});

/** From when the way is open again; a connection is given up 30 s after it has fallen silent. */
const GOES_ON_WITHIN_MS = 60_000;
const SILENT_MS = 20_000;

test("connections that are gone and were never closed", async (t) => {
  await scenario(t, "F37-forgotten", "20 s of silence, after which only new connections are answered", async (t) => {
    const { url: databaseUrl, drop } = await createDatabase();
    const proxy = await startProxy(t, targetOf(databaseUrl));
    const world = await startWorld(t, { workers: 0, databaseUrl, env: { PARLEY_SIMULATOR_LATENCY_MS: "300" } });
    t.after(drop);
    await noon(world);
    // So that nothing but its own limits brings it back: no other worker takes the lane's jobs.
    await world.startWorker({ DATABASE_URL: proxy.url(databaseUrl) });
    const texts = size(options.texts, 2_000, 10_000);
    await aRun(world, { phones: newPhones(world, texts), agent: { drip_schedule: [] } });
    const taken = async () =>
      (
        await world.sql<{ n: number }>("select count(*)::int as n from simulator_texts where direction = 'to_handset'")
      )[0]!.n;
    await until("it is at work", async () => (await taken()) > 0);
    proxy.set({ partition: true });
    proxy.forget();
    await pause(SILENT_MS);
    proxy.set({});
    const healedAt = performance.now();
    await until("all is sent", async () => (await taken()) === texts, GOES_ON_WITHIN_MS);
    const wentOnMs = Math.round(performance.now() - healedAt);
    await drained(world, 120_000);
    return {
      tried: { texts, silentMs: SILENT_MS },
      found: { ...(await assertPromises(world)), wentOnMs },
      says: `every connection of a worker went dumb and stayed open; ${wentOnMs} ms after new ones were possible all its texts were sent.`,
    };
  });
});

test("a bad network between everything and the database", async (t) => {
  if (!wants("F37", "F37-harm")) return;
  const { url: databaseUrl, drop } = await createDatabase();
  const random = seeded(options.seed);
  const proxy = await startProxy(t, targetOf(databaseUrl), random);
  const world = await startWorld(t, {
    workers: 2,
    databaseUrl,
    reachedBy: proxy.url(databaseUrl),
    env: { PARLEY_SIMULATOR_RATE: "100", PARLEY_SIMULATOR_LOST_REPLY_RATE: "0.02", PARLEY_LOG_LEVEL: "error" },
  });
  t.after(drop);
  await noon(world);

  /** A campaign, and contacts who say things, under what `harm` does to the network. */
  const under = async (texts: number, harm: () => Promise<void>) => {
    const { phones } = await aRun(world, { phones: newPhones(world, texts) });
    const speakers = phones.filter(() => random() < 0.05);
    const said = spread(
      speakers,
      (texts / 100) * 1_000,
      (phone) => say(world, phone, random() < 0.6 ? "STOP" : "Yes, tell me more"),
      world.ending,
    );
    said.catch(() => {});
    await harm();
    const spoke = await said;
    await drained(world, 120_000);
    proxy.set({});
    return { said: spoke, found: await assertPromises(world) };
  };

  await scenario(t, "F37", "20 % of packets lost and 300 ms of latency", async () => {
    const faults: Faults = options.long
      ? { latencyMs: 150, jitterMs: 150, loss: 0.2 }
      : { latencyMs: 10, jitterMs: 20, loss: 0.2 };
    const texts = size(options.texts, 150, 5_000);
    const begin = performance.now();
    const run = await under(texts, async () => proxy.set(faults));
    const seconds = Math.round((performance.now() - begin) / 1_000);
    return {
      tried: { texts, said: run.said, ...faults },
      found: { ...run.found, seconds },
      says: `${texts} texts through a network that loses a fifth of what it carries took ${seconds} s; every promise held.`,
    };
  });

  await scenario(
    t,
    "F37-harm",
    "connections reset, corrupted, half open, cut after some bytes, slow to close",
    async () => {
      const harms: Faults[] = [
        { resetAfterBytes: 3_000 },
        { corruptAfterBytes: 5_000 },
        { deafClient: true },
        { partition: true },
        { slowCloseMs: 2_000, latencyMs: 5 },
      ];
      const rounds = size(options.minutes * 2, 1, 10);
      let resets = 0;
      const run = await under(size(options.texts, 600, 6_000), async () => {
        for (let round = 0; round < rounds; round++) {
          for (const harm of harms) {
            proxy.set(harm);
            await pause(700);
            proxy.set({});
            proxy.reset();
            resets++;
            await pause(700);
          }
        }
      });
      return {
        tried: { harms: harms.length * rounds, resets, said: run.said },
        found: run.found,
        says: `${harms.length * rounds} spells of resets, corruption, deafness and silence; every promise held.`,
      };
    },
  );
});
