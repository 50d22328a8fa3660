import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import { createKey, createTenant } from "#app/roles/keys.ts";
import { readConfig } from "#app/settings/config.ts";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { client, until } from "#test/support/api/parley.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import { type Gateway, receiptOf, type Script, smppGateway } from "#test/support/carriers/smpp/gateway.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import { phone } from "#test/support/messaging/sending.ts";
import { COMMON_ENV } from "#test/support/processes/processes.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { A_MARK, holdMarks, waiting, waitsFor } from "./hold.ts";
import { promised, scenario } from "./scenario.ts";
import { startWorld, type Worker, type World } from "./world.ts";

/** From the death of the process that has a session to the next one's bind. */
const TAKEN_OVER_WITHIN_MS = promised(5_000);
/** A doubt's time passes twice: until it is looked at, and until no receipt is waited for any more. */
const PASS = "update attempts set check_at = now() where state = 'uncertain' and check_at > now()";

type Live = { world: World; gateway: Gateway; live: ReturnType<typeof client> };

async function aGateway(t: TestContext, script: Script, window = 50): Promise<Live> {
  const gateway = await smppGateway(t, script);
  const env = { PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1", PARLEY_LIVE_CLOCK: "moved" };
  const world = await startWorld(t, { workers: 2, env });
  const config = readConfig({ ...COMMON_ENV, DATABASE_URL: world.databaseUrl, PARLEY_DATA_DIR: world.dataDir });
  const { ctx, close } = wire(config, world.databaseUrl, "harness");
  const key = await createKey(ctx, await createTenant(ctx, "Live", "live"), "live", "All").finally(close);
  const live = client(world.apiProcess.url!, key);
  const noon = workingNoon(new Date());
  await world.sql("update tenants set clock_offset_ms = $1 where mode = 'live'", [noon.getTime() - Date.now()]);
  const made = await live.post("/v1/carriers", {
    ...{ name: "Gateway", kind: "smpp", credentials: { system_id: "parley", password: "secret" } },
    settings: { host: "127.0.0.1", port: gateway.port, per_second: 200, window, senders: [SENDER] },
  });
  const connected = await live.post(`/v1/carriers/${made.body.carrier.carrier_id}/connect`, {});
  assert.equal(connected.status, 200, JSON.stringify(connected.body));
  return { world, gateway, live };
}

/** The worker that has the session: the one that has its lock. */
async function owner(world: World): Promise<Worker> {
  return until("a worker has the session", async () => {
    const rows = await world.sql<{ node: string }>(
      `select right(application_name, 36) as node from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and granted and application_name like 'parley sessions %'`,
    );
    return world.workers.find((worker) => rows.some(({ node }) => node === worker.nodeId()));
  });
}

const states = async (world: World): Promise<Record<string, number>> => {
  const rows = await world.sql<{ state: string; n: number }>(
    "select state, count(*)::int as n from messages where kind = 'start' and direction = 'outbound' group by state",
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
};

const contacts = (n: number) => Array.from({ length: n }, (_, i) => ({ phone_number: phone(i) }));

/** How often each phone got it, at most. */
const mostOften = ({ submitted }: Gateway): number =>
  Math.max(
    ...Map.groupBy(submitted, ({ to }) => to)
      .values()
      .map((them) => them.length),
  );

async function ledger(world: World): Promise<void> {
  await assertLedger(await openClient(world.t, world.databaseUrl));
}

test("a session with a gateway, and the process that has it", async (t) => {
  await scenario(t, "SMPP-kill", "kill -9 of the owner with a window in flight", async (t) => {
    const [texts, window] = [60, 10];
    let answered = 20;
    const script: Script = { status: (n) => (n < answered ? 0 : undefined) };
    const { world, gateway, live } = await aGateway(t, script, window);
    await aCampaign(live, { contacts: contacts(texts), agent: { drip_schedule: [] } });
    const victim = await owner(world);
    // The window is full, and what was claimed behind it waits.
    await until("the window is in flight", async () => gateway.submitted.length === answered + window);
    await until("what was answered is settled", async () => (await states(world)).accepted === answered);
    await until("some are marked behind it, and more are claimed", async () => {
      const rows = await world.sql<{ marked: number; unmarked: number }>(
        `select count(*) filter (where unmarked is null)::int as marked, count(*) filter (where unmarked)::int as unmarked
         from attempts where state = 'in_flight'`,
      );
      return rows[0]!.marked > window && rows[0]!.unmarked > 0;
    });
    answered = Number.POSITIVE_INFINITY;
    const binds = gateway.boundAt.length;
    const killedAt = performance.now();
    world.workers.splice(world.workers.indexOf(victim), 1);
    await victim.kill();
    await until("another has the session", async () => gateway.boundAt.length > binds);
    const tookOverMs = Math.round(gateway.boundAt.at(-1)! - killedAt);
    assert.ok(tookOverMs < TAKEN_OVER_WITHIN_MS, `taken over only after ${tookOverMs} ms`);
    const left = await world.sql<{ phone: string; is_marked: boolean }>(
      "select phone, unmarked is null as is_marked from attempts where node_id = $1 and state <> 'accepted'",
      [victim.nodeId()],
    );
    const phones = left.filter((one) => one.is_marked).map(({ phone }) => phone);
    // Half a window is marked ahead; what was claimed behind that is sent by the other.
    assert.ok(phones.length >= window && phones.length <= 1.5 * window, `${phones.length} in doubt`);
    assert.ok(left.length > phones.length, `${left.length} claimed`);
    const inDoubt = gateway.submitted.filter(({ to }) => phones.includes(`+${to}`));
    assert.equal(inDoubt.length, window);
    const unsent = phones.length - inDoubt.length;
    const named = inDoubt.slice(0, Math.ceil(inDoubt.length / 2));
    for (const text of named) await gateway.deliver(receiptOf(text, { state: "DELIVRD", tlvs: true }));
    await until("what was in flight is in doubt, or known", async () => {
      const open = await world.sql("select from attempts where state = 'in_flight'");
      return open.length === 0 && gateway.submitted.length === texts - unsent;
    });
    await until("nothing is waited for", async () => {
      await world.sql(PASS);
      return Object.keys(await states(world)).every((state) => ["accepted", "delivered", "unknown"].includes(state));
    });
    const found = await states(world);
    assert.deepEqual(found, {
      accepted: texts - phones.length,
      delivered: named.length,
      unknown: phones.length - named.length,
    });
    assert.equal(mostOften(gateway), 1);
    // However late, a receipt that names one settles it.
    await gateway.deliver(receiptOf(inDoubt.at(-1)!, { state: "DELIVRD", tlvs: true }));
    assert.equal((await states(world)).delivered, named.length + 1);
    await ledger(world);
    return {
      tried: { texts, claimed: left.length, inFlight: inDoubt.length, unsent, receipts: named.length },
      found: { ...found, duplicates: 0, tookOverMs },
      says: `killed with ${left.length} texts claimed, of which ${inDoubt.length} in flight and ${unsent} marked behind them: another had the session after ${tookOverMs} ms, ${texts - unsent} texts at the gateway once each, ${named.length} settled by receipts, ${phones.length - named.length} unknown.`,
    };
  });

  for (const [name, words, commits] of [
    ["SMPP-claim", "kill -9 of the owner before its first mark is committed", false],
    ["SMPP-mark", "kill -9 of the owner with a mark committed and nothing written", true],
  ] as const) {
    await scenario(t, name, words, async (t) => {
      const [texts, window] = [60, 10];
      const { world, gateway, live } = await aGateway(t, {}, window);
      const release = await holdMarks(world);
      await aCampaign(live, { contacts: contacts(texts), agent: { drip_schedule: [] } });
      await waitsFor(world, A_MARK);
      const victim = await owner(world);
      world.workers.splice(world.workers.indexOf(victim), 1);
      await victim.kill();
      // Its statement would else be carried out without it.
      if (!commits)
        for (const { pid } of await waiting(world, A_MARK))
          await world.sql("select pg_terminate_backend($1, 10000)", [pid]);
      await release();
      await until("nothing is waited for", async () => {
        await world.sql(PASS);
        return Object.keys(await states(world)).every((state) => ["accepted", "unknown"].includes(state));
      });
      const found = await states(world);
      const { unknown = 0 } = found;
      assert.equal(gateway.submitted.length, texts - unknown, "what was not marked was sent by the other");
      assert.equal(mostOften(gateway), 1);
      assert.ok(commits ? unknown > 0 && unknown <= 1.5 * window : unknown === 0, `${unknown} unknown`);
      await ledger(world);
      return {
        tried: { texts, window },
        found: { ...found, duplicates: 0 },
        says: `killed at its first mark, ${commits ? "which was committed without it" : "which was not committed"}: ${texts - unknown} of ${texts} texts at the gateway once each, ${unknown} unknown.`,
      };
    });
  }

  await scenario(t, "SMPP-stop", "SIGTERM, and the loss of the locks, in the middle of a campaign", async (t) => {
    const texts = 200;
    const { world, gateway, live } = await aGateway(t, { answerAfterMs: 60, receipts: { state: "DELIVRD" } });
    await aCampaign(live, { contacts: contacts(texts), agent: { drip_schedule: [] } });
    await until("it is under way", async () => gateway.submitted.length > 20);
    const [first, unbinds] = [await owner(world), gateway.unbinds()];
    world.workers.splice(world.workers.indexOf(first), 1);
    const stoppedAt = performance.now();
    await first.kill("SIGTERM");
    const stopMs = Math.round(performance.now() - stoppedAt);
    assert.ok(gateway.unbinds() > unbinds, "it unbinds");
    await until("the other goes on", async () => gateway.submitted.length > 80);
    assert.deepEqual((await states(world)).unknown, undefined);
    await owner(world);
    await world.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'parley sessions %'",
    );
    await until("all are at the gateway", async () => gateway.submitted.length >= texts);
    await until("nothing is waited for", async () => {
      await world.sql(PASS);
      return Object.keys(await states(world)).every((state) => ["accepted", "delivered", "unknown"].includes(state));
    });
    const found = await states(world);
    const { unknown = 0 } = found;
    assert.equal(mostOften(gateway), 1);
    await ledger(world);
    return {
      tried: { texts, stops: 1, locksLost: 1 },
      found: { ...found, duplicates: 0, stopMs },
      says: `stopped within ${stopMs} ms, the other took the session, and again when its locks were gone: ${texts} texts once each, ${unknown} unknown.`,
    };
  });
});
