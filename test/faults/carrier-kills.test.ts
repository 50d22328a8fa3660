import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { until } from "#test/support/api/parley.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { connected, smpp, telnyx, twilio } from "./far-sides.ts";
import { persist, seeded, spread } from "./load.ts";
import { options, type Report, scenario, size } from "./scenario.ts";
import { startWorld, type World } from "./world.ts";

const TEXT = "Hi, this is Ava. Do you have a minute?";
/**
 * Texts a second: as long as the kills take the campaign is to last, since a worker starts in some seconds. By `--rate` it is faster than a window, and
 * texts wait behind that.
 */
const RATE = options.rate || (options.long ? 18 : 250);
/** Of the texts, those whose answer is lost with the connection; of the contacts, those who say STOP. */
const [LOST, STOPS] = [0.004, 0.03];
/** Where it can be asked, past its settle time; else until no receipt is waited for any more. */
const PASS = "update attempts set check_at = now() where state = 'uncertain' and check_at > now()";
const REST_WITHIN_MS = 900_000;
/** Where one worker has the account's session, nothing is on its way until another has taken it over: then any of them is killed. */
const BUSY_WITHIN_MS = 5_000;
/** Receipts that are late are still on their way. */
const RECEIPTS_WITHIN_MS = 10_000;

const states = async ({ sql }: World): Promise<Record<string, number>> => {
  const rows = await sql<{ state: string; n: number }>(
    "select state, count(*)::int as n from messages where kind = 'start' and direction = 'outbound' group by state",
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
};

/** The worker that has texts on their way: it has the most to lose. */
async function busyOne(world: World) {
  const rows = await world.sql<{ node_id: string }>("select distinct node_id from attempts where state = 'in_flight'");
  return world.workers.find((worker) => rows.some(({ node_id }) => node_id === worker.nodeId()));
}

/** Why nothing leaves. */
const whatWaits = async ({ sql }: World) => ({
  campaigns: await sql("select status, pause_reason from campaigns where channel = 'sms'"),
  lanes: await sql("select * from lanes where carrier <> 'simulator'"),
  accounts: await sql("select status, problem, revision from carrier_accounts"),
  messages: await sql("select state, reason, count(*)::int as n, min(due_at) as due from messages group by 1, 2"),
  attempts: await sql(
    "select state, error_code, node_id, count(*)::int as n, min(check_at) as check_at from attempts where state in ('in_flight', 'uncertain') group by 1, 2, 3",
  ),
  nodes: await sql("select id, roles, lost_at from nodes where lost_at is null"),
});

/** A campaign to a carrier's side of an account, while workers are killed, answers are lost, and contacts say STOP. */
async function carrierKills(t: TestContext, start: typeof twilio): Promise<Report> {
  const texts = size(options.texts, 200, 20_000);
  const kills = size(options.kills, 2, 100);
  const random = seeded(options.seed);
  const offsetMs = workingNoon(new Date()).getTime() - Date.now();
  const far = await start(t, () => new Date(Date.now() + offsetMs));
  const port = String(await aFreePort());
  const env = {
    ...{ PARLEY_LIVE_CLOCK: "moved", PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1" },
    ...{ PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}`, PARLEY_CARRIER_HOSTS: JSON.stringify(far.hosts) },
  };
  const world = await startWorld(t, { workers: 2, env });
  const { url } = await world.startApi({ PORT: port });
  const live = await connected(world, far, offsetMs, url!);
  const phones = Array.from({ length: texts }, (_, i) => `+1212${4_000_000 + i}`);
  far.lose(phones.filter(() => random() < LOST));
  const stoppers = phones.filter(() => random() < STOPS);
  const contacts = phones.map((phone_number) => ({ phone_number }));
  await aCampaign(live, {
    ...{ contacts, agent: { starting_message: TEXT, drip_schedule: [] } },
    campaign: { svc_sms_number: far.sender },
  });
  await world.sql("update lanes set per_second = $1 where carrier <> 'simulator'", [RATE]);
  const starts = () => far.got().filter(({ text }) => text === TEXT);

  const stoppedAt = new Map<string, number>();
  const said = spread(
    stoppers,
    (texts / RATE) * 1_000,
    async (phone) => {
      const ok = { status: 200, headers: new Headers(), body: {} };
      // A carrier keeps what it could not hand over, and tries for days.
      await persist(() => far.say(phone, "STOP").then(() => ok), world.ending, REST_WITHIN_MS);
      stoppedAt.set(phone, Date.now());
    },
    world.ending,
  );
  said.catch(() => {});
  const starting = new Set<Promise<unknown>>();
  const over = options.minutes ? performance.now() + options.minutes * 60_000 : Number.POSITIVE_INFINITY;
  let killed = 0;
  // What a contact's STOP came before, and what was cut off before it left, never leaves.
  const nothingWaits = async () => {
    const { scheduled = 0, held = 0 } = await states(world);
    return scheduled + held === 0;
  };
  for (; killed < kills && performance.now() < over && !(await nothingWaits()); killed++) {
    const enough = ((killed + 1) * texts) / (kills + 2);
    const hasMoreLeft = async () => far.got().length >= enough || (await nothingWaits());
    await until("more has left", hasMoreLeft, REST_WITHIN_MS).catch(async (error) => {
      t.diagnostic(`${killed} kills, ${far.got().length} texts: ${JSON.stringify(await whatWaits(world))}`);
      throw error;
    });
    await until("two workers are up", async () => world.workers.length >= 2, 120_000);
    const busy = await until("one has texts on their way", () => busyOne(world), BUSY_WITHIN_MS).catch(() => undefined);
    const victim = busy ?? world.workers[0]!;
    world.workers.splice(world.workers.indexOf(victim), 1);
    const next = world.startWorker();
    starting.add(next);
    next.finally(() => starting.delete(next)).catch(() => {});
    await victim.kill();
  }
  await Promise.all(starting);
  await said;

  const open = ["scheduled", "held", "sending"];
  const atRest = async () => {
    const found = await states(world);
    const [left] = await world.sql<{ n: number }>(
      "select count(*)::int as n from attempts where state in ('in_flight', 'uncertain')",
    );
    return open.every((state) => found[state] === undefined) && left!.n === 0;
  };
  if (!far.canBeAsked) {
    await until("all have left", nothingWaits, REST_WITHIN_MS);
    await pause(RECEIPTS_WITHIN_MS);
  }
  await until(
    "nothing is waited for",
    async () => {
      if (!far.canBeAsked) await world.sql(PASS);
      return atRest();
    },
    REST_WITHIN_MS,
  );
  await assertLedger(await openClient(world.t, world.databaseUrl));
  const found = await states(world);
  const got = starts();
  const atPhones = new Set(got.map(({ to }) => to));
  const rows = await world.sql<{ phone: string; state: string }>(
    "select phone, state from messages where kind = 'start' and direction = 'outbound'",
  );
  const isSent = (state: string) => state === "accepted" || state === "sent" || state === "delivered";
  const hasCause = ({ phone, state }: { phone: string; state: string }) =>
    atPhones.has(phone) || state === "unknown" || (!isSent(state) && stoppedAt.has(phone));
  const late = got.filter(({ to, at }) => at > (stoppedAt.get(to) ?? Number.POSITIVE_INFINITY));
  // How late says whether it was under way, or left on a decision of before.
  for (const { to, at } of late)
    t.diagnostic(`${to} got it ${at - stoppedAt.get(to)!} ms after its STOP was acknowledged`);
  const result = {
    twice: got.length - atPhones.size,
    lost: texts - rows.length + rows.filter((row) => !hasCause(row)).length,
    afterStop: late.length,
    unknown: found.unknown ?? 0,
  };
  const unsent = rows.filter(({ phone, state }) => state === "unknown" && !atPhones.has(phone)).length;
  assert.deepEqual({ ...result, unknown: 0 }, { twice: 0, lost: 0, afterStop: 0, unknown: 0 });
  if (far.canBeAsked) assert.equal(result.unknown, 0);
  return {
    tried: { texts, kills: killed, stops: stoppedAt.size },
    found: { ...result, neverLeft: unsent, ...found },
    says:
      `${texts} texts, ${killed} kills of a worker, answers lost with the connection, ${stoppedAt.size} STOPs: ${result.twice} twice, ${result.lost} lost, ` +
      `${result.afterStop} after a STOP, ${result.unknown} unknown, of which ${unsent} never left.`,
  };
}

test("a campaign over each carrier while the workers that send it are killed", async (t) => {
  await scenario(t, "KILLS-twilio", "over Twilio, which can be asked", (t) => carrierKills(t, twilio));
  await scenario(t, "KILLS-telnyx", "over Telnyx, which cannot", (t) => carrierKills(t, telnyx));
  await scenario(t, "KILLS-smpp", "over SMPP, whose session one worker has", (t) => carrierKills(t, smpp));
});
