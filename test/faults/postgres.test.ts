import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "#test/support/api/parley.ts";
import { asAdmin, type OwnPostgres, startOwnPostgres } from "#test/support/database/own-postgres.ts";
import { assertPromises } from "./checkers.ts";
import { aRun, drained, newPhones, noon, say, seeded, spread, stopTimes, taken } from "./load.ts";
import { options, promised, scenario, size, wants } from "./scenario.ts";
import { startWorld, type World } from "./world.ts";

const RATE = 120;
/** F17: the pool, and for how long it lets a request wait for a connection (store/database/connections.ts). */
const CONNECTIONS = 2;
const CONNECTION_WITHIN_MS = 10_000;
/** Requests are answered again within this of the database's return. */
const BACK_WITHIN_MS = promised(10_000);
/** So many texts leave before something is broken. */
const FIRST_TEXTS = 60;
/** Sessions of a load of one second that are ended, and requests that are made while nothing can be written. */
const A_SECOND = 6;
const A_SECOND_APART_MS = 150;

/** Waits until so many texts of a load have left: what is broken then is broken while they leave. */
type HaveLeft = (count: number) => Promise<unknown>;

/** A campaign, and contacts who say things, for `seconds`; resolves once the last has been acknowledged. */
async function underLoad(world: World, seconds: number, harm: (haveLeft: HaveLeft) => Promise<void>) {
  const random = seeded(options.seed);
  await aRun(world, { api: world.other, phones: newPhones(world, 20) });
  const { campaignId, phones } = await aRun(world, {
    phones: newPhones(world, RATE * seconds),
    agent: { drip_schedule: [{ day: 1, message: "Still there?" }] },
  });
  const speakers = phones.filter(() => random() < 0.06);
  const said = spread(
    speakers,
    seconds * 1_000,
    (phone) => say(world, phone, random() < 0.6 ? "STOP" : "Yes, tell me more"),
    new AbortController().signal,
  );
  said.catch(() => {});
  await harm((count) => until(`${count} texts have left`, async () => (await taken(world, campaignId)) >= count));
  const spoke = await said;
  await drained(world);
  return { campaignId, texts: phones.length, said: spoke, found: await assertPromises(world) };
}

/** How long until the api answers with 2xx again, and its worker works. */
async function backMs(world: World): Promise<number> {
  const begin = performance.now();
  await until("the api is ready", async () => {
    const answer = await world.api.get("/readyz").catch(() => undefined);
    return answer?.status === 200;
  });
  return performance.now() - begin;
}

const aWorldOver = (t: Parameters<typeof startWorld>[0], server: OwnPostgres, env: Record<string, string> = {}) =>
  startWorld(t, {
    workers: 2,
    databaseUrl: server.adminUrl,
    reachedBy: server.url,
    env: {
      PARLEY_SIMULATOR_RATE: String(RATE),
      PARLEY_SIMULATOR_LATENCY_MS: "100",
      PARLEY_SIMULATOR_LOST_REPLY_RATE: "0.02",
      PARLEY_LOG_LEVEL: "error",
      ...env,
    },
  });

test("PostgreSQL dies, stops, refuses and forgets", async (t) => {
  if (!wants("F11", "F12", "F13", "F15", "F16", "F17")) return;
  const server = (await startOwnPostgres(t))!;
  const world = await aWorldOver(t, server);
  await noon(world);

  await scenario(t, "F11", "kill -9 of PostgreSQL with all its processes", async () => {
    const kills = size(options.kills, 2, 20);
    const back: number[] = [];
    const load = await underLoad(world, kills * size(0, 3, 6), async (haveLeft) => {
      for (let i = 0; i < kills; i++) {
        await haveLeft(FIRST_TEXTS * (i + 1));
        await server.kill();
        const { status } = await world.api.get("/v1/organizations").catch(() => ({ status: 0 }));
        assert.ok(status === 503, `an api without its database answers 503, not ${status}`);
        await pause(500);
        await server.start();
        back.push(await backMs(world));
      }
    });
    const worst = Math.round(Math.max(...back));
    assert.ok(worst < BACK_WITHIN_MS, `${worst} ms until it answered again`);
    return {
      tried: { texts: load.texts, said: load.said, kills },
      found: { ...load.found, backMs: worst },
      says: `killed ${kills} times: 503 meanwhile, answers again ${worst} ms after its return, nothing acknowledged was lost.`,
    };
  });

  await scenario(t, "F12", "PostgreSQL stopped and started again and again", async () => {
    const random = seeded(options.seed);
    const stops = size(options.kills, 3, 60);
    const load = await underLoad(world, stops * 4, async () => {
      for (let i = 0; i < stops; i++) {
        await pause(1_000 + random() * (options.long ? 30_000 : 2_000));
        await server.stop();
        await pause(random() * 2_000);
        await server.start();
      }
    });
    return {
      tried: { texts: load.texts, said: load.said, stops },
      found: load.found,
      says: `stopped and started ${stops} times under load; every promise held.`,
    };
  });

  await scenario(t, "F13", "sessions ended at random (pg_terminate_backend)", async () => {
    const seconds = options.minutes ? options.minutes * 60 : size(0, 6, 120);
    let ended = 0;
    const load = await underLoad(world, seconds, async (haveLeft) => {
      await haveLeft(FIRST_TEXTS);
      for (let i = 0; i < seconds * A_SECOND; i++) {
        await pause(A_SECOND_APART_MS);
        const rows = await asAdmin(server.adminUrl, async (client) => {
          const { rowCount } = await client.query(
            `select pg_terminate_backend(pid) from (
               select pid from pg_stat_activity where application_name like 'parley%' order by random() limit 1) as one`,
          );
          return rowCount ?? 0;
        });
        ended += rows;
      }
    });
    assert.ok(ended > 0, "no session was there to be ended");
    return {
      tried: { texts: load.texts, said: load.said, ended },
      found: load.found,
      says: `${ended} sessions were ended one by one, wherever they stood; nothing was half done.`,
    };
  });

  await scenario(t, "F15", "PostgreSQL read-only, as in a failover", async () => {
    const seconds = size(0, 2, 60);
    const readOnly = (on: boolean) =>
      asAdmin(server.adminUrl, async (client) => {
        await client.query(`alter system set default_transaction_read_only = ${on ? "on" : "off"}`);
        await client.query("select pg_reload_conf()");
      });
    // A server that is late goes on as before for a while, and a transaction goes on as it was begun.
    const nobodyWrites = async () => {
      await until("new transactions only read", () =>
        asAdmin(server.adminUrl, async (client) => {
          const { rows } = await client.query("select current_setting('default_transaction_read_only') = 'on' as yes");
          return rows[0].yes as boolean;
        }),
      );
      const [now] = await world.sql<{ at: string }>("select clock_timestamp()::text as at");
      await until("those that began before are over", async () => {
        const rows = await world.sql(
          "select from pg_stat_activity where application_name like 'parley%' and xact_start < $1::timestamptz",
          [now!.at],
        );
        return rows.length === 0;
      });
    };
    let refused = 0;
    let left = 0;
    let kept = 0;
    const load = await underLoad(world, seconds + 4, async (haveLeft) => {
      await haveLeft(FIRST_TEXTS);
      await readOnly(true);
      await nobodyWrites();
      const before = await taken(world);
      for (let i = 0; i < seconds * A_SECOND; i++) {
        await pause(A_SECOND_APART_MS);
        const { status } = await world.api.post("/v1/simulator/handsets/%2B12125550199/messages", {
          to: "+12125550100",
          text: "Hello",
        });
        assert.equal(status, 503, "what cannot be kept is not acknowledged");
        refused++;
      }
      left = (await taken(world)) - before;
      kept = (await world.sql("select from messages where state = 'scheduled' and kind = 'start'")).length;
      await readOnly(false);
    });
    assert.ok(kept > 0, "all had left before");
    assert.equal(left, 0, "nothing leaves that cannot be written down before");
    return {
      tried: { texts: load.texts, said: load.said, seconds },
      found: { ...load.found, refused, leftMeanwhile: left },
      says: `read-only for ${seconds} s: ${refused} inbound texts refused with 503, ${left} texts sent; all of it went on afterwards.`,
    };
  });

  await scenario(t, "F16", "a lock storm: ACCESS EXCLUSIVE on messages", async () => {
    const seconds = size(0, 3, 20);
    const health: number[] = [];
    const inbound: number[] = [];
    const saidAt = new Map<string, number>();
    const stoppers = newPhones(world, 5);
    await aRun(world, { phones: stoppers, agent: { drip_schedule: [{ day: 1, message: "Still there?" }] } });
    await drained(world);
    let releasedAt = 0;
    const load = await underLoad(world, seconds + 1, async (haveLeft) => {
      await haveLeft(FIRST_TEXTS);
      await asAdmin(server.adminUrl, async (client) => {
        await client.query("begin; lock table messages in access exclusive mode");
        for (let i = 0; i < seconds * A_SECOND; i++) {
          await pause(A_SECOND_APART_MS);
          const begin = performance.now();
          assert.equal((await world.api.get("/healthz")).status, 200);
          health.push(performance.now() - begin);
          const said = performance.now();
          await say(world, "+12125550199", "Hello?");
          inbound.push(performance.now() - said);
          const stopper = stoppers[saidAt.size];
          if (stopper) {
            saidAt.set(stopper, Date.now());
            await say(world, stopper, "STOP");
          }
        }
        releasedAt = Date.now();
        await client.query("commit");
      });
    });
    // A STOP withdraws what waits, which is in messages: it waits for the lock as everything does, and then for nothing else.
    const stopMs = Math.round(Math.max(...(await stopTimes(world, saidAt))));
    const afterReleaseMs = Math.round(
      Math.max(...(await stopTimes(world, new Map([...saidAt.keys()].map((phone) => [phone, releasedAt]))))),
    );
    const worst = { healthMs: Math.round(Math.max(...health)), inboundMs: Math.round(Math.max(...inbound)) };
    // Beside other faults a short run cannot distinguish slow from right. Who waited for the lock, which is held as long as he is not answered, would
    // wait for as long as a statement may take, and that is more.
    const mostMs = options.long ? { health: 1_000, inbound: 2_000 } : { health: 20_000, inbound: 20_000 };
    assert.ok(worst.healthMs < mostMs.health && worst.inboundMs < mostMs.inbound, JSON.stringify(worst));
    return {
      tried: { texts: load.texts, said: load.said, seconds },
      found: { ...load.found, ...worst, stopMs, afterReleaseMs },
      says: `messages locked for ${seconds} s: STOPs were committed within ${afterReleaseMs} ms of its release; inbound texts were acknowledged within ${worst.inboundMs} ms, /healthz within ${worst.healthMs} ms; nothing was stuck afterwards.`,
    };
  });

  await scenario(t, "F17", "the pool used up by slow queries", async (t) => {
    const small = await startWorld(t, {
      workers: 0,
      databaseUrl: server.adminUrl,
      reachedBy: server.url,
      env: { PARLEY_DATABASE_POOL: String(CONNECTIONS) },
    });
    let slowest = 0;
    let shedMs = 0;
    type Stuck = { status: number; ms: number };
    const answered: Stuck[] = [];
    let releasedMs = 0;
    await asAdmin(server.adminUrl, async (client) => {
      await client.query("begin; lock table organizations in access exclusive mode");
      const begin = performance.now();
      const stuck = Array.from({ length: 12 }, async () => {
        const { status } = await small.api.get("/v1/organizations");
        answered.push({ status, ms: performance.now() - begin });
      });
      await pause(200);
      for (let i = 0; i < 5; i++) {
        const asked = performance.now();
        assert.equal((await small.api.get("/healthz")).status, 200, "the process lives, and says so");
        slowest = Math.max(slowest, performance.now() - asked);
      }
      await until(
        "without a connection to be had it is not ready",
        async () => (await small.api.get("/readyz")).status === 503,
      );
      const asked = performance.now();
      assert.equal((await small.api.get("/v1/organizations")).status, 503, "a list is turned away");
      shedMs = Math.round(performance.now() - asked);
      await until(
        "all but the two that have a connection are answered",
        async () => answered.length === stuck.length - CONNECTIONS,
        CONNECTION_WITHIN_MS * 2,
      );
      releasedMs = performance.now() - begin;
      await client.query("commit");
      await Promise.all(stuck);
    });
    const [waited, held] = [answered.slice(0, -CONNECTIONS), answered.slice(-CONNECTIONS)];
    const slowestWait = Math.round(Math.max(...waited.map(({ ms }) => ms)));
    assert.ok(
      waited.every(({ status }) => status === 503),
      JSON.stringify(waited),
    );
    assert.ok(slowestWait < promised(CONNECTION_WITHIN_MS * 1.2), `turned away only after ${slowestWait} ms`);
    assert.ok(
      held.every(({ status, ms }) => status === 200 && ms - releasedMs < promised(1_000)),
      JSON.stringify(held),
    );
    assert.ok(shedMs < promised(2_000), `turned away after ${shedMs} ms`);
    await until("it answers again", async () => (await small.api.get("/v1/me")).status === 200);
    return {
      tried: { connections: CONNECTIONS, slow: answered.length },
      found: { waited: answered.map(({ status }) => status), slowestWait, shedMs, healthMs: Math.round(slowest) },
      says: `with both connections stuck who waited for one was turned away within ${slowestWait} ms, a new list was turned away after ${shedMs} ms, /readyz was red, /healthz green within ${Math.round(slowest)} ms; all was well afterwards.`,
    };
  });
});

test("PostgreSQL's disk", async (t) => {
  await scenario(t, "F14", "the database's disk is full", async (t) => {
    const server = await startOwnPostgres(t, 320);
    if (!server) return { skip: "no disk of its own can be mounted here (needs CAP_SYS_ADMIN)" };
    const world = await aWorldOver(t, server);
    await noon(world);
    let refused = 0;
    let unanswered = 0;
    const load = await underLoad(world, 6, async (haveLeft) => {
      await haveLeft(FIRST_TEXTS);
      server.fillDisk();
      // WAL is written into files that are there already: only when they are full is the disk. Texts alone take most of a minute for that.
      const fillWal = () =>
        asAdmin(server.adminUrl, (client) =>
          client.query(
            "select pg_logical_emit_message(false, 'fills', repeat('x', 1000000)) from generate_series(1, 16)",
          ),
        ).catch(() => undefined);
      await until(
        "a text cannot be kept",
        async () => {
          await fillWal();
          const answer = await world.api
            .post("/v1/simulator/handsets/%2B12125550199/messages", { to: "+12125550100", text: "x".repeat(4_000) })
            .catch(() => ({ status: 0, body: {} }));
          if (answer.status === 201) {
            world.acknowledged.texts.set(answer.body.carrier_id, { phone: "+12125550199", text: "x" });
            return false;
          }
          if (answer.status === 0) {
            unanswered++;
            return false;
          }
          assert.equal(answer.status, 503, JSON.stringify(answer.body));
          return ++refused > 5;
        },
        150_000,
      );
      server.freeDisk();
      // It has given up if it could not even recover.
      await server.start();
      await backMs(world);
    });
    return {
      tried: { texts: load.texts, said: load.said, diskMb: 320 },
      found: { ...load.found, refused, unanswered },
      says: `${refused} requests were refused with 503 while nothing could be written, ${unanswered} got no answer; every 2xx was there after space was made.`,
    };
  });
});
