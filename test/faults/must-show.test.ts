import assert from "node:assert/strict";
import { constants, setPriority } from "node:os";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { BOOTSTRAP_KEY, client as clientOf, until } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { startOwnPostgres } from "#test/support/database/own-postgres.ts";
import { percentile } from "#test/support/messaging/ledger.ts";
import { assertPromises } from "./checkers.ts";
import { killRun, LATE_RECEIPTS_MS, rateFor } from "./kill-run.ts";
import { aRun, drained, newPhones, noon, persist, spread } from "./load.ts";
import { options, scenario, wants } from "./scenario.ts";
import { startWorld } from "./world.ts";

// The two runs whose figures are shown. They are long: only `npm run faults -- TEXTS INBOUND` makes them.

test("100,000 texts under 500 kills", async (t) => {
  if (!options.long || !wants("TEXTS")) return;
  await scenario(t, "TEXTS", "a campaign goes out while workers are killed, with 3 % of replies lost", async (t) => {
    const kills = options.kills || 500;
    const run = {
      texts: options.texts || 100_000,
      kills,
      everyMs: options.minutes ? (options.minutes * 60_000) / kills : 3_000,
      seed: options.seed,
    };
    const world = await startWorld(t, {
      workers: 3,
      env: {
        PARLEY_SIMULATOR_LOST_REPLY_RATE: String(options.lost),
        PARLEY_SIMULATOR_RATE: String(rateFor(run)),
        PARLEY_SIMULATOR_LATENCY_MS: "200",
        PARLEY_SIMULATOR_RECEIPT_MS: LATE_RECEIPTS_MS,
      },
    });
    return killRun(world, run);
  });
});

/** The api dies this often, PostgreSQL this often. */
const API_DIES_EVERY_MS = 3_000;
const POSTGRES_DIES_EVERY_MS = 60_000;

test("20,000 inbound texts while api and database die", async (t) => {
  if (!options.long || !wants("INBOUND")) return;
  await scenario(t, "INBOUND", "inbound texts at 200/s, api killed every 3 s, PostgreSQL every 60 s", async (t) => {
    const texts = options.texts || 20_000;
    const rate = options.rate || 200;
    const server = (await startOwnPostgres(t))!;
    const world = await startWorld(t, {
      workers: 2,
      databaseUrl: server.adminUrl,
      reachedBy: server.url,
      env: { PARLEY_DATABASE_POOL: "20", PARLEY_LOG_LEVEL: "error" },
    });
    await noon(world);
    const phones = newPhones(world, texts);
    await aRun(world, { phones, agent: { drip_schedule: [], reply_delay_ms: 0 } });
    await drained(world, 600_000);

    // Two instances to choose from, as behind a balancer that asks none that it knows to be gone; one is killed every three seconds and comes back.
    const instances = [await world.startApi(), await world.startApi()];
    const address = (turn: number): string => {
      const living = instances.filter((instance) => instance.ended() === undefined);
      return (living[turn % living.length] ?? instances[0]!).url!;
    };
    // In production they are other machines: here what they do with a text must not take the time of those who take it in.
    for (const { pid } of world.workers) setPriority(pid, constants.priority.PRIORITY_LOW);
    const done = new AbortController();
    const over = AbortSignal.any([done.signal, world.ending]);
    let apiKills = 0;
    const apiDies = (async () => {
      for (let i = 0; !over.aborted; i++) {
        await pause(API_DIES_EVERY_MS, undefined, { signal: over }).catch(() => {});
        if (over.aborted) break;
        await instances[i % 2]!.kill();
        apiKills++;
        // With the database away it cannot start; then it is tried again, as a supervisor does.
        while (!over.aborted) {
          const next = await world.startApi().catch(() => undefined);
          if (next) {
            instances[i % 2] = next;
            break;
          }
        }
      }
    })();
    let postgresKills = 0;
    const postgresDies = (async () => {
      while (!over.aborted) {
        await pause(Math.min(POSTGRES_DIES_EVERY_MS, (texts / rate) * 500), undefined, { signal: over }).catch(
          () => {},
        );
        if (over.aborted) break;
        await server.kill();
        postgresKills++;
        await pause(500);
        await server.start();
      }
    })();
    // Without the one or the other nobody would be answered any more.
    for (const dies of [apiDies, postgresDies]) dies.catch((error) => done.abort(error));
    const acks: number[] = [];
    let tries = 0;
    let turn = 0;
    const said = await spread(
      phones,
      (texts / rate) * 1_000,
      async (phone) => {
        const path = `/v1/simulator/handsets/${encodeURIComponent(phone)}/messages`;
        const text = phone.endsWith("00") ? "STOP" : "Yes, tell me more";
        const answer = await persist(async () => {
          tries++;
          const begin = performance.now();
          const got = await clientOf(address(turn++), BOOTSTRAP_KEY).post(path, { to: SENDER, text });
          if (got.status < 300) acks.push(performance.now() - begin);
          return got;
        }, over);
        world.acknowledged.texts.set(answer.body.carrier_id, { phone, text });
      },
      over,
    );
    done.abort();
    await Promise.all([apiDies, postgresDies]);
    await server.start();
    await until("the api is back", async () => (await world.api.get("/readyz").catch(() => undefined))?.status === 200);
    await drained(world, 900_000);
    const found = await assertPromises(world);
    assert.equal(said, texts);
    const ackMs = {
      p50: Math.round(percentile(acks, 0.5)),
      p99: Math.round(percentile(acks, 0.99)),
      max: Math.round(percentile(acks, 1)),
    };
    return {
      tried: { texts, perSecond: rate, requests: tries, apiKills, postgresKills },
      found: { ...found, ackMs },
      says:
        `${texts} texts at ${rate}/s, ${apiKills} kills of the api, ${postgresKills} of PostgreSQL: ${found.acknowledgedButMissing} acknowledged but missing, ` +
        `${found.answeredTwice + found.takenInTwice} answered or taken in twice; acknowledgement p99 ${ackMs.p99} ms.`,
    };
  });
});
