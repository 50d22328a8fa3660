import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { until } from "#test/support/api/parley.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { type DatabaseCluster, missingPackages, startDatabaseCluster } from "#test/support/database/patroni.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import { startBalancer } from "#test/support/processes/balancer.ts";
import { runCommand } from "#test/support/processes/processes.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { connected, type FarSide, type Got, twilio } from "./far-sides.ts";
import { persist, seeded, spread } from "./load.ts";
import { options, type Report, scenario, size, wants } from "./scenario.ts";
import { type Client, startWorld, type World } from "./world.ts";

const TEXT = "Hi, this is Ava. Do you have a minute?";
const RATE = options.rate || 25;
/** Of the contacts, those who say STOP, and those who answer. */
const [STOPS, ANSWERS] = [0.05, 0.05];
/** Before this share of the texts has left nothing is broken. */
const FIRST_SHARE = 0.3;
const REST_WITHIN_MS = 600_000;
/** What is acknowledged to a client beside the campaign: one organization after another. */
const ASK_EVERY_MS = 300;

type Run = {
  world: World;
  far: FarSide;
  live: Client;
  database: DatabaseCluster;
  texts: number;
  /** The data directories of its machines. */
  folders: string[];
  starts(): Got[];
};

/** Two workers and two api nodes behind a balancer, each a machine with a folder of its own, over a database of two machines; a campaign to
 * a carrier's side of an account. */
async function begin(t: TestContext, isSynchronous: boolean): Promise<Run> {
  const texts = size(options.texts, 500, 4_000);
  const offsetMs = workingNoon(new Date()).getTime() - Date.now();
  const [database, far, balancer] = await Promise.all([
    startDatabaseCluster(t, isSynchronous),
    twilio(t, () => new Date(Date.now() + offsetMs)),
    startBalancer(t),
  ]);
  const folders: string[] = [];
  const machine = () => {
    const folder = aFolder("machine");
    folders.push(folder);
    return { PARLEY_DATA_DIR: folder };
  };
  const env = {
    ...{ PARLEY_LIVE_CLOCK: "moved", PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1" },
    ...{ PARLEY_PUBLIC_URL: balancer.url, PARLEY_CARRIER_HOSTS: JSON.stringify(far.hosts) },
  };
  const world = await startWorld(t, {
    workers: 0,
    ...{ env, databaseUrl: database.adminUrl, reachedBy: database.url },
  });
  folders.push(world.dataDir);
  const [second] = await Promise.all([
    world.startApi(machine()),
    world.startWorker(machine()),
    world.startWorker(machine()),
  ]);
  for (const { url } of [world.apiProcess, second]) balancer.instances.add(url!);
  await until("the balancer uses both", async () => [...balancer.instances].every(balancer.uses));
  const live = await connected(world, far, offsetMs, balancer.url);
  const contacts = Array.from({ length: texts }, (_, i) => ({ phone_number: `+1212${4_000_000 + i}` }));
  await aCampaign(live, {
    ...{ contacts, agent: { starting_message: TEXT, drip_schedule: [], reply_delay_ms: 500 } },
    campaign: { svc_sms_number: far.sender },
  });
  await world.sql("update lanes set per_second = $1 where carrier <> 'simulator'", [RATE]);
  return { world, far, live, database, texts, folders, starts: () => far.got().filter(({ text }) => text === TEXT) };
}

/** What contacts say while the campaign goes on: when each STOP was acknowledged, and all that was. */
function talk({ far, world, texts }: Run) {
  const random = seeded(options.seed);
  const phones = Array.from({ length: texts }, (_, i) => `+1212${4_000_000 + i}`);
  const speakers = phones.flatMap((phone) => {
    const drawn = random();
    if (drawn < STOPS) return [{ phone, text: "STOP" }];
    return drawn < STOPS + ANSWERS ? [{ phone, text: "Yes, tell me more" }] : [];
  });
  const stoppedAt = new Map<string, number>();
  const acknowledged: { phone: string; text: string }[] = [];
  const ok = { status: 200, headers: new Headers(), body: {} };
  const over = spread(
    speakers,
    (texts / RATE) * 1_000,
    async ({ phone, text }) => {
      await persist(() => far.say(phone, text).then(() => ok), world.ending);
      if (text === "STOP") stoppedAt.set(phone, Date.now());
      acknowledged.push({ phone, text });
    },
    world.ending,
  );
  over.catch(() => {});
  return { over, stoppedAt, acknowledged };
}

/** Makes organizations, one after another, until the signal; the names of those that were acknowledged. */
function ask({ live, world }: Run) {
  const end = new AbortController();
  const names: string[] = [];
  let asked = 0;
  const over = (async () => {
    while (!end.signal.aborted) {
      let name = "";
      // One that was made, and whose answer was lost, is another's name.
      const make = () => {
        name = `Acknowledged ${++asked}`;
        return live.post("/v1/organizations", { name });
      };
      await persist(make, world.ending);
      names.push(name);
      await pause(ASK_EVERY_MS, undefined, { signal: end.signal }).catch(() => {});
    }
  })();
  over.catch(() => {});
  return {
    names,
    async stop() {
      end.abort();
      await over;
    },
  };
}

const states = async ({ sql }: World): Promise<Record<string, number>> => {
  const rows = await sql<{ state: string; n: number }>(
    "select state, count(*)::int as n from messages where kind = 'start' and direction = 'outbound' group by state",
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
};

/** Nothing waits, and nothing is in doubt. */
const rested = ({ world }: Run) =>
  until(
    "nothing is waited for",
    async () => {
      const [left] = await world
        .sql<{ n: number }>(
          `select (select count(*) from messages where direction = 'outbound' and state in ('scheduled', 'held', 'sending'))::int
             + (select count(*) from attempts where state in ('in_flight', 'uncertain'))::int as n`,
        )
        .catch(() => [{ n: 1 }]);
      return left!.n === 0;
    },
    REST_WITHIN_MS,
  );

/** The longest time between two texts, in seconds. */
const longestPause = (got: readonly Got[]): number => {
  const times = got.map(({ at }) => at).toSorted((a, b) => a - b);
  const gaps = times.slice(1).map((at, i) => at - times[i]!);
  return Math.round(Math.max(...gaps) / 100) / 10;
};

/** What the carrier's side and the database say in the end. */
async function account(run: Run, said: ReturnType<typeof talk>, organizations: readonly string[]) {
  const { world, texts } = run;
  await assertLedger(await openClient(world.t, world.databaseUrl));
  const got = run.starts();
  const atPhones = new Set(got.map(({ to }) => to));
  const rows = await world.sql<{ phone: string; state: string }>(
    "select phone, state from messages where kind = 'start' and direction = 'outbound'",
  );
  const hasCause = ({ phone }: { phone: string }) => atPhones.has(phone) || said.stoppedAt.has(phone);
  const inbound = await world.sql<{ phone: string; text: string }>(
    "select phone, text from messages where direction = 'inbound'",
  );
  const kept = new Set(inbound.map(({ phone, text }) => `${phone} ${text}`));
  const absent = await world.sql<{ name: string }>(
    "select name from unnest($1::text[]) as it (name) where not exists (select from organizations where organizations.name = it.name)",
    [organizations],
  );
  const unkept = said.acknowledged.filter(({ phone, text }) => !kept.has(`${phone} ${text}`));
  const late = got.filter(({ to, at }) => at > (said.stoppedAt.get(to) ?? Number.POSITIVE_INFINITY));
  return {
    twice: got.length - atPhones.size,
    lost: texts - rows.length + rows.filter((row) => !hasCause(row)).length,
    afterStop: late.length,
    missing: [...unkept.map(({ phone, text }) => `${phone}: ${text}`), ...absent.map(({ name }) => name)],
    secondsWithoutSending: longestPause(got),
    ...(await states(world)),
  };
}

const share = ({ starts, texts }: Run, part: number) =>
  until(`${part} of the texts have left`, async () => starts().length >= texts * part, REST_WITHIN_MS);

/** The machine of the primary is lost under load, with a stand-in that has every commit. */
async function losePrimary(t: TestContext): Promise<Report | { skip: string }> {
  const missing = missingPackages();
  if (missing.length > 0) return { skip: `${missing.join(", ")} not installed` };
  const run = await begin(t, true);
  const { world, database } = run;
  const [said, asked] = [talk(run), ask(run)];
  await share(run, FIRST_SHARE);
  const before = (await database.primary())!;
  const lostAt = performance.now();
  await before.lose();
  const after = await until("another is the primary", () => database.primary(), 120_000);
  const promotedMs = performance.now() - lostAt;
  const left = run.starts().length;
  await until("texts leave again", async () => run.starts().length > left + RATE, 120_000);
  await asked.stop();
  await said.over;
  await rested(run);
  const [fence] = await world.sql<{ fenced_at: Date | null }>("select fenced_at from cluster");
  const found = await account(run, said, asked.names);
  const { twice, lost, afterStop, missing: gone } = found;
  assert.deepEqual({ twice, lost, afterStop, gone }, { twice: 0, lost: 0, afterStop: 0, gone: [] });
  assert.notEqual(after.name, before.name);
  assert.equal(fence!.fenced_at, null, "nothing was missed, so the fence is down");
  return {
    tried: {
      texts: run.texts,
      rate: RATE,
      said: said.acknowledged.length,
      stops: said.stoppedAt.size,
      requests: asked.names.length,
    },
    found: { ...found, promotedSeconds: Math.round(promotedMs / 100) / 10 },
    says:
      `${run.texts} texts at ${RATE}/s, the primary's machine lost: another was promoted after ${(promotedMs / 1_000).toFixed(1)} s, nothing left for ` +
      `${found.secondsWithoutSending} s, ${twice} twice, ${lost} lost, ${afterStop} after a STOP, ${gone.length} of ` +
      `${said.acknowledged.length + asked.names.length} acknowledged things missing, no fence.`,
  };
}

/** `parley fence lift` with the journals of all machines; what it said. */
const liftFence = ({ world, folders }: Run): Promise<string> =>
  runCommand(["fence", "lift", "--journal", ...folders.map((folder) => join(folder, "journal"))], {
    DATABASE_URL: world.databaseUrl.replace(/\/\/postgres:/, "//parley:"),
    PARLEY_DATA_DIR: folders[0]!,
  });

/** Texts that leave between the moment from which the stand-in gets nothing more, and the primary's loss: less than what a second's mark shows. */
const MISSED_TEXTS = 10;
/** Sending would be seen again within this. */
const WATCHED_MS = 8_000;

/** The machine of the primary is lost, and a stand-in that has missed the last commits takes over. */
async function loseCommits(t: TestContext): Promise<Report | { skip: string }> {
  const missing = missingPackages();
  if (missing.length > 0) return { skip: `${missing.join(", ")} not installed` };
  const run = await begin(t, false);
  const { world, database } = run;
  const said = talk(run);
  await share(run, FIRST_SHARE);
  const before = (await database.primary())!;
  before.network.forget();
  const cutOff = run.starts().length;
  await until(
    "texts leave that the stand-in does not know of",
    async () => run.starts().length >= cutOff + MISSED_TEXTS,
  );
  await before.lose();
  before.network.reset();
  await until("another is the primary", () => database.primary(), 120_000);
  const promotedAt = performance.now();
  const fence = async () =>
    (await world.sql<{ reason: string | null }>("select fence_reason as reason from cluster").catch(() => []))[0]
      ?.reason;
  const reason = await until("the fence has risen by itself", fence, 120_000);
  const fencedMs = performance.now() - promotedAt;
  const left = run.starts().length;
  await pause(WATCHED_MS);
  assert.equal(run.starts().length, left, "nothing leaves while the fence is up");
  await said.over;
  const lifted = await liftFence(run);
  t.diagnostic(lifted.trim());
  await until("texts leave again", async () => run.starts().length > left + RATE, 120_000);
  await rested(run);
  const { missing: gone, ...found } = await account(run, said, []);
  const { twice, lost, afterStop } = found;
  assert.deepEqual({ twice, lost, afterStop }, { twice: 0, lost: 0, afterStop: 0 });
  return {
    tried: {
      texts: run.texts,
      rate: RATE,
      said: said.acknowledged.length,
      stops: said.stoppedAt.size,
      missed: left - cutOff,
    },
    found: { ...found, reason, fencedMs: Math.round(fencedMs), repliesGone: gone.length },
    says:
      `a stand-in that knew nothing of the last ${left - cutOff} texts took over: the fence rose by itself within ${(fencedMs / 1_000).toFixed(1)} s ("${reason}"); ` +
      `nothing left until it was lifted; ${twice} twice, ${lost} lost, ${afterStop} after a STOP.`,
  };
}

test("the primary of a database of several machines is lost", async (t) => {
  if (!wants("PATRONI", "PATRONI-behind")) return;
  await scenario(t, "PATRONI", "with a synchronous stand-in, under load", losePrimary);
  await scenario(t, "PATRONI-behind", "with a stand-in that has missed commits", loseCommits);
});
