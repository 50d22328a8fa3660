import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { migrationNames } from "#store/database/migrate.ts";
import { BOOTSTRAP_KEY, client as clientOf, until } from "#test/support/api/parley.ts";
import { type Balancer, startBalancer } from "#test/support/processes/balancer.ts";
import { earlierCheckout } from "#test/support/source/earlier.ts";
import { root } from "#test/support/source/source.ts";
import { assertPromises } from "./checkers.ts";
import { startClients } from "./clients.ts";
import { callNow, callsOf, nodesOf, phonesTake } from "./live-calls.ts";
import { aRun, drained, newPhones, noon, say, seeded, spread } from "./load.ts";
import { options, scenario, size } from "./scenario.ts";
import { type Client, startWorld, type Worker, type World } from "./world.ts";

/** The last commit whose schema has not 0100-text-digest.sql and all since: it stands for the release before. */
const BEFORE = "3ad9eaa7afa1cdf1df03546bebe34f145ed3a593";
/** Of each campaign, those who say STOP, and those who answer. */
const [STOPS, ANSWERS] = [0.06, 0.1];
const RATE = options.rate || 20;
const PHONES = 100;
/** Each node is seen to have claimed so many texts in each part that it is there for. */
const CLAIMED = size(options.texts, 10, 200);
const WITHIN_MS = 180_000;
/** Phones that are called in each part, and how long they stay on the line. */
const CALLED = size(0, 5, 20);
const STAYS_MS = 6_000;
/** Longer than the balancer may take to look on a machine that has much else to do. */
const GRACE = { PARLEY_SHUTDOWN_GRACE_MS: "2000" };

test("a release is replaced by the next", async (t) => {
  await scenario(t, "UPGRADE", "old and new nodes side by side under load, and then new ones alone", async (t) => {
    const old = await earlierCheckout(BEFORE);
    if (old === undefined) return { skip: `${BEFORE} is not in this clone` };
    const { world, balancer, serverErrors } = await begin(t, old);
    const oldMedia = await world.startMedia();
    const before = await migrationsOf(world);
    const clients = await startClients(t, balancer.url);
    const load = keepBusy(world);
    const calls = [await callsOver(world)];
    const [first, second] = world.workers as [Worker, Worker];

    await claimedBy(world, [first, second]);
    // The new release's first node: it migrates, beside all of the old ones.
    const third = await world.startWorker({}, root);
    assert.deepEqual(await migrationsOf(world), migrationNames());
    await claimedBy(world, [first, second, third]);
    // Some of the old ones start once more, over a schema that they do not know.
    await first.kill("SIGTERM");
    assert.equal(first.ended(), "0", first.said.join("").slice(-1_000));
    const again = await world.startWorker();
    await claimedBy(world, [second, third, again]);

    calls.push(await callsOver(world));

    // Workers first. One of the old ones does not come to its end, and the new ones settle what it leaves.
    const fourth = await world.startWorker({}, root);
    await claimedBy(world, [second, third, again, fourth]);
    await Promise.all([second.kill("SIGKILL"), again.kill("SIGTERM")]);
    assert.equal(again.ended(), "0", again.said.join("").slice(-1_000));
    await claimedBy(world, [third, fourth]);

    // Then the API.
    const newer = await world.startApi(GRACE, root);
    const [older] = balancer.instances;
    balancer.instances.add(newer.url!);
    await until("the balancer uses both", async () => balancer.uses(newer.url!) && balancer.uses(older!));
    const askedBefore = clients.seen.asked;
    await until("clients have asked both", async () => clients.seen.asked > askedBefore + 10 * CLAIMED, WITHIN_MS);
    await claimedBy(world, [third, fourth]);
    balancer.instances.delete(older!);
    await world.apiProcess.kill("SIGTERM");
    assert.equal(world.apiProcess.ended(), "0", world.apiProcess.said.join("").slice(-1_000));

    // Media nodes last, since their calls have to end. What is called meanwhile is the new one's.
    calls.push(await callsOver(world));
    const newMedia = await world.startMedia({}, root);
    calls.push(await callsOver(world));
    await oldMedia.kill("SIGTERM");
    assert.equal(oldMedia.ended(), "0", oldMedia.said.join("").slice(-1_000));
    const last = await callsOver(world);
    assert.deepEqual(await endedOn(world, last), [newMedia.nodeId()]);
    for (const campaignId of calls) await endedOn(world, campaignId);
    const words = await load.stop();
    await drained(world);
    await clients.stop();
    const found = await assertPromises(world);
    const { failures, asked, turnedAway } = clients.seen;
    assert.deepEqual([...serverErrors, ...failures], [], "no request failed");
    const migrations = migrationNames().length - before.length;
    return {
      tried: {
        texts: found.recipients,
        rate: RATE,
        said: words,
        calls: CALLED * (calls.length + 1),
        requests: asked,
        migrations,
      },
      found: { ...found, failedRequests: failures.length, serverErrors: serverErrors.length, turnedAway },
      says: `${found.recipients} texts at ${RATE}/s while the release of ${BEFORE.slice(0, 8)} was replaced by this one, ${migrations} migrations between: ${found.duplicates} twice, ${found.lost} lost, ${found.afterOptOut} after a STOP, ${CALLED * (calls.length + 1)} calls each to its own end, ${asked} requests of which ${failures.length} failed.`,
    };
  });
});

/** Nodes of the old release over a database that it made, its API behind a balancer by which all is asked; and what was answered with a 5xx. */
async function begin(t: TestContext, old: string) {
  const balancer: Balancer = await startBalancer(t);
  const started = await startWorld(t, {
    workers: 2,
    checkout: old,
    env: {
      PARLEY_SIMULATOR_RATE: String(RATE),
      PARLEY_SIMULATOR_RECEIPT_MS: "200",
      // Calls last as long as they say, so that some are up when a node is stopped.
      PARLEY_SIMULATOR_CALL_PACE: "clock",
      PARLEY_CALL_GRACE_MS: String(WITHIN_MS),
      ...GRACE,
    },
  });
  balancer.instances.add(started.apiProcess.url!);
  await until("the balancer uses it", async () => balancer.uses(started.apiProcess.url!));
  const serverErrors: string[] = [];
  const noted = (key: string) => noting(clientOf(balancer.url, key), serverErrors);
  const world: World = { ...started, api: noted(BOOTSTRAP_KEY), other: noted(started.other.key) };
  await noon(world);
  return { world, balancer, serverErrors };
}

/** The same client; what it was answered with a 5xx is noted, unless the machine was late. */
function noting(api: Client, errors: string[]): Client {
  const request: Client["request"] = async (method, path, body, more) => {
    const answer = await api.request(method, path, body, more);
    const isLate = answer.status === 503 && answer.body.code === "overloaded";
    if (answer.status >= 500 && !isLate)
      errors.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  };
  return {
    ...api,
    request,
    get: (path, more) => request("GET", path, undefined, more),
    post: (path, body, more) => request("POST", path, body, more),
    put: (path, body, more) => request("PUT", path, body, more),
    patch: (path, body, more) => request("PATCH", path, body, more),
    delete: (path, more) => request("DELETE", path, undefined, more),
  };
}

/** Calls some phones, who stay on the line for a while; the campaign. */
async function callsOver(world: World): Promise<string> {
  const phones = newPhones(world, CALLED);
  await phonesTake(world, phones, STAYS_MS);
  return callNow(world, phones);
}

/** Waits until the calls of a campaign are over: each phone had one, that came to its own end. The nodes on which they were. */
async function endedOn(world: World, campaignId: string): Promise<string[]> {
  const calls = await until(
    "the calls are over",
    async () => {
      const all = await callsOf(world, campaignId);
      return all.length >= CALLED && all.every(({ status }) => !["registered", "ongoing"].includes(status)) && all;
    },
    WITHIN_MS,
  );
  assert.deepEqual(
    calls.map(({ status, reason }) => `${status} ${reason}`),
    Array.from({ length: CALLED }, () => "ended user_hangup"),
  );
  assert.equal(new Set(calls.map(({ phone }) => phone)).size, CALLED);
  return [...new Set((await nodesOf(world, campaignId)).map(({ node_id }) => node_id))];
}

const migrationsOf = async ({ sql }: World): Promise<string[]> =>
  (await sql<{ name: string }>("select name from migrations order by name")).map(({ name }) => name);

/**
 * Posts one campaign after another, as long as it is not stopped, each when the one before has nearly left, to contacts of whom some answer and some
 * say STOP meanwhile. How many texts they have sent.
 */
function keepBusy(world: World): { stop(): Promise<number> } {
  const over = new AbortController();
  const random = seeded(options.seed);
  const work = async () => {
    let said = 0;
    while (!over.signal.aborted) {
      world.ending.throwIfAborted();
      const phones = newPhones(world, PHONES);
      await aRun(world, { phones, agent: { drip_schedule: [] } });
      const speaking = phones.flatMap((phone) => {
        const drawn = random();
        if (drawn < STOPS) return [{ phone, text: "STOP" }];
        return drawn < STOPS + ANSWERS ? [{ phone, text: "Yes, tell me more" }] : [];
      });
      const overMs = (PHONES / RATE) * 1_000;
      said += await spread(speaking, overMs, ({ phone, text }) => say(world, phone, text), world.ending);
      await until("it has nearly left", async () => (await waiting(world)) < PHONES / 2, WITHIN_MS);
    }
    return said;
  };
  const working = work();
  working.catch(() => {});
  return {
    stop: () => {
      over.abort();
      return working;
    },
  };
}

const waiting = async ({ sql }: World): Promise<number> =>
  (await sql<{ n: number }>("select count(*)::int as n from threads where state = 'scheduled'"))[0]!.n;

/** Waits until each of these has claimed texts from now on. */
async function claimedBy(world: World, workers: readonly Worker[]): Promise<void> {
  const counts = async () =>
    new Map(
      (
        await world.sql<{ node_id: string; n: number }>(
          "select node_id, count(*)::int as n from attempts where channel = 'sms' group by node_id",
        )
      ).map(({ node_id, n }) => [node_id, n]),
    );
  const before = await counts();
  const of = (them: ReadonlyMap<string, number>, worker: Worker) => them.get(worker.nodeId()) ?? 0;
  await until(
    "each of them has claimed texts",
    async () => {
      const now = await counts();
      return workers.every((worker) => of(now, worker) >= of(before, worker) + CLAIMED);
    },
    WITHIN_MS,
  );
}
