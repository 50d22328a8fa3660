import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { assertLedger, percentile } from "#test/support/messaging/ledger.ts";
import { openClient, startWorkers } from "#test/support/processes/worker-process.ts";
import { options, promised, type Report, scenario, size } from "./scenario.ts";
import { installWatch } from "./watch.ts";

const STOPS = size(options.texts, 300, 10_000);
/** As many again who say nothing: they must all be reached. */
const CONTACTS = STOPS * 2;
const TEXTS_PER_SECOND = 50;
/** From a STOP's coming in to the commit of its opt-out, p99, which waits for a text that is with the carrier. */
const COMMITTED_WITHIN_MS = promised(1_000);
/**
 * Phones between the one whose text left last and the one that says STOP. By turns, since a slow machine takes a STOP in when it comes to
 * it: half of them after more than five seconds, where 12 % of the processors were others'. The longest way is twelve.
 */
const AHEAD = [20, 60, 240, 600];
/** Phones that say STOP at a time; each keeps to its own distance, or the shortest would be everybody's. */
const SAYING = AHEAD.length * 2;
/** Beside other tests all of it takes some times as long as the rate lets it. */
const HANGS_MS = 240_000;
const FIRST_PHONE = 5_200_000;
const PHONES_APART = 13;

test("STOPs race the dispatch", async (t) => {
  await scenario(t, "F32", "STOPs that come right before, with and right after their text", race);
});

async function race(t: TestContext): Promise<Report> {
  const settings = { PARLEY_SIMULATOR_RATE: String(TEXTS_PER_SECOND), PARLEY_SIMULATOR_LATENCY_MS: "30" };
  const api = await startParley(t, settings, ["api"]);
  const client = await openClient(t, api.databaseUrl);
  await installWatch((text) => client.query(text).then(({ rows }) => rows));
  await aNoon(api);
  // Past 511, which is nobody's exchange.
  const phones = Array.from({ length: CONTACTS }, (_, i) => `+1212${FIRST_PHONE + i * PHONES_APART}`);
  startWorkers(t, api, 2, settings);
  const { campaignId } = await aCampaign(api, {
    contacts: phones.map((phone_number) => ({ phone_number, first_name: "Ann" })),
    agent: { drip_schedule: [{ day: 1, message: "Still there?" }] },
  });
  // The dispatch goes by the order of the leads. Each phone says STOP when it is nearly its turn, so that one STOP
  // comes before the text, the next while it is on its way, and the next after it.
  const stoppers = phones.filter((_, i) => i % 2 === 0);
  const over = new AbortController();
  const seen = watchSent(client, over.signal);
  const saidAt = new Map<string, number>();
  const say = async (turn: number) => {
    for (let i = turn; i < stoppers.length; i += SAYING) {
      while (seen.furthest === undefined || i * 2 > seen.furthest + AHEAD[turn % AHEAD.length]!) {
        // Another of them has failed.
        if (over.signal.aborted) return;
        await pause(5);
      }
      const path = `/v1/simulator/handsets/${encodeURIComponent(stoppers[i]!)}/messages`;
      saidAt.set(stoppers[i]!, Date.now());
      const { status } = await api.post(path, { to: SENDER, text: "STOP" });
      assert.equal(status, 201);
    }
  };
  const stoppedBefore = async (): Promise<number> => {
    const { rows } = await client.query(
      "select count(*)::int as n from messages where kind = 'start' and state = 'suppressed' and reason = 'opted_out'",
    );
    return rows[0].n;
  };
  /** Where no STOP has come in before its text so far, texts wait until one has: on a busy machine all of them would come too late. */
  const giveTime = async () => {
    while ((seen.furthest ?? 0) < CONTACTS / 2) {
      if (over.signal.aborted) return;
      await pause(20);
    }
    if ((await stoppedBefore()) > 0) return;
    assert.equal((await api.post(`/v1/campaigns/${campaignId}/pause`, {})).status, 200);
    await until("a STOP has come before its text", async () => (await stoppedBefore()) > 0);
    assert.equal((await api.post(`/v1/campaigns/${campaignId}/resume`, {})).status, 200);
  };
  try {
    await Promise.all([giveTime(), ...Array.from({ length: SAYING }, (_, turn) => say(turn))]);
  } finally {
    over.abort();
    await seen.done;
  }
  const counts = await until(
    "every recipient is terminal",
    async () => {
      const { body } = await api.get(`/v1/campaigns/${campaignId}`);
      const of = body.campaign.counts as Record<string, number>;
      return of.opted_out === STOPS && of.delivered === CONTACTS - STOPS && of;
    },
    (CONTACTS / TEXTS_PER_SECOND) * 2_000 + HANGS_MS,
  );
  await until("every STOP is confirmed", async () => {
    const { rows } = await client.query(
      "select count(*)::int as n from messages where kind = 'confirmation' and state = 'delivered'",
    );
    return rows[0].n === STOPS;
  });

  const { body: all } = await api.get("/v1/simulator/traffic");
  // A text whose acknowledgement came too late is brought again.
  await until("every STOP is acknowledged", async () => {
    const { rows } = await client.query(
      "select count(*)::int as n from simulator_texts where direction = 'from_handset' and acknowledged_seq is not null",
    );
    return rows[0].n === STOPS;
  });
  const before = await stoppedBefore();
  const { rows: commits } = await client.query(
    `select stop.phone, stop.at, inbound.received_at - tenants.clock_offset_ms * interval '1 millisecond' as received_at
     from faults.stops stop join inbound_texts inbound on inbound.sender = stop.phone join tenants on tenants.id = inbound.tenant_id`,
  );
  assert.equal(commits.length, STOPS);
  assert.deepEqual([all.duplicates, all.after_opt_out, all.outside_window], [0, 0, 0]);
  assert.ok(before > 0 && before < STOPS, `${before} of ${STOPS} STOPs came before the text`);
  await assertLedger(client);
  const { rows: steps } = await client.query("select * from faults.steps limit 10");
  assert.deepEqual(
    steps,
    [],
    "no text was taken after its phone's opt-out was committed, nor any step that may not be",
  );
  const percentiles = (times: number[]) => ({
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    max: percentile(times, 1),
  });
  const inToCommitMs = percentiles(commits.map(({ at, received_at }) => at.getTime() - received_at.getTime()));
  // With the way through the simulated carrier, which brings texts when it comes to it.
  const saidToCommitMs = percentiles(commits.map(({ phone, at }) => at.getTime() - saidAt.get(phone)!));
  assert.ok(inToCommitMs.p99 < COMMITTED_WITHIN_MS, `STOPs were committed within ${inToCommitMs.p99} ms (p99)`);
  return {
    tried: { stops: STOPS, contacts: CONTACTS, stopsBeforeTheText: before },
    found: { duplicates: all.duplicates, afterOptOut: all.after_opt_out, counts, inToCommitMs, saidToCommitMs },
    says: `${STOPS} STOPs around the moment of their text, ${before} of them before it: 0 were followed by a text, each was confirmed once; committed within ${inToCommitMs.p99} ms of coming in (p99).`,
  };
}

type Seen = { furthest: number | undefined; done: Promise<void> };

/** The furthest of the phones whose starting message was taken, looked for until the signal; undefined while there is none. */
function watchSent(client: pg.Client, over: AbortSignal): Seen {
  const seen: Seen = { furthest: undefined, done: Promise.resolve() };
  const look = async () => {
    for (; !over.aborted; await pause(20)) {
      const { rows } = await client.query("select max(handset) as handset from simulator_texts where step = 0");
      const [{ handset }] = rows;
      if (handset !== null) seen.furthest = (Number(handset.slice("+1212".length)) - FIRST_PHONE) / PHONES_APART;
    }
  };
  seen.done = look();
  return seen;
}
