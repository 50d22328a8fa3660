import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { leadsOf, phoneOf } from "#app/capacity/people.ts";
import { until } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { futureCampaign, type Target } from "../leads.ts";
import { type Service, startService } from "../service.ts";
import { type Bench, quantile } from "../suite.ts";

/** Texts a second that flow: so many leads come in, each of whom is texted at once. */
const FLOW = 200;
const FLOW_EVERY_MS = 100;
const LOOK_EVERY_MS = 20;
const STOP_EVERY_MS = 500;
/** A STOP is looked for this often: as exact as its time is. */
const SEE_EVERY_MS = 5;
const PATIENCE_MS = 60_000;
/** What is promised, however busy others keep us. */
const HEALTH_WITHIN_MS = 100;
const STOP_WITHIN_MS = 1_000;

/** As long as the playground takes, and a phone's text of thirteen parts. */
const PLAYED = 1_600;
const TEXTED = 2_000;
/** What patterns of ours, or their like, have stumbled over: the first five took years, the others the square of their length and more. */
const HOSTILE: readonly [again: string, end: string][] = [
  ["✋\ufe0f", "👍"],
  ["🖕\ufe0f ", "-"],
  ["❌\ufe0f\u0301", "@"],
  [" \u0301\ufe0f", "#"],
  ["🛑\ufe0f", "\u0001"],
  ["uh ", "x"],
  ["uhm oh ", "\u0001"],
  [" ", "x"],
  ["\n \n", "x"],
  ["a@", "!"],
  ["a.", "@"],
  ["1,", "x"],
  ["my name is ", "0"],
  ["[](", "x"],
  ["call me at 5 ", "👍"],
];
const hostile = (i: number, length: number): string => {
  const [again, end] = HOSTILE[i]!;
  return again.repeat(Math.floor((length - end.length) / again.length)) + end;
};

/**
 * /healthz, and how soon another contact's STOP is committed, while texts flow and 15 hostile ones come by the playground and from phones,
 * against the same flow without them. Fails if a text is lost on either way.
 */
export async function run(bench: Bench): Promise<void> {
  const seconds = bench.small ? 1 : 20;
  const service = await startService(bench);
  try {
    const target = await futureCampaign(service, { reply_delay_ms: 0 });
    const talkers = HOSTILE.length + 2 * Math.ceil((seconds * 1_000) / STOP_EVERY_MS);
    const { body } = await service.get(`/v1/campaigns/${target.campaignId}`);
    const agentId: string = body.campaign.sms_agent_id;
    await take(service, target, 0, talkers);
    await service.startWorker();
    await service.post("/v1/simulator/clock", { to: new Date(target.beginAt.getTime() + 60_000).toISOString() });
    await delivered(service, target, talkers);

    const run = { service, target, seconds, leads: talkers, stoppers: HOSTILE.length };
    const calm = await busy(run, async () => {});
    const under = await busy(
      { ...run, leads: run.leads + calm.taken, stoppers: run.stoppers + calm.stops.length },
      async () => {
        for (const i of HOSTILE.keys()) {
          await Promise.all([
            says(service, phoneOf(i), hostile(i, TEXTED)),
            play(service, agentId, hostile(i, PLAYED)),
            pause((seconds * 1_000) / HOSTILE.length),
          ]);
        }
      },
    );
    const sent = talkers + calm.taken + under.taken;
    const received = HOSTILE.length + calm.stops.length + under.stops.length;
    await delivered(service, target, sent);
    await until("every text that came in is kept", async () => (await kept(service)) >= received, PATIENCE_MS);
    assert.equal(await kept(service), received);

    const health = (name: string, of: (ms: readonly number[]) => number, bar?: number) =>
      bench.figure({ name: `healthz ${name}`, value: of(under.health), unit: "ms", baseline: bar ?? of(calm.health) });
    health("p50", (ms) => quantile(ms, 0.5));
    health("p99", (ms) => quantile(ms, 0.99));
    health("at most", (ms) => Math.max(...ms), HEALTH_WITHIN_MS);
    const stop = (name: string, of: (ms: readonly number[]) => number, bar?: number) =>
      bench.figure({ name: `STOP ${name}`, value: of(under.stops), unit: "ms", baseline: bar ?? of(calm.stops) });
    stop("p50", (ms) => quantile(ms, 0.5));
    stop("p99", (ms) => quantile(ms, 0.99));
    stop("at most", (ms) => Math.max(...ms), STOP_WITHIN_MS);
    bench.figure({ name: "flow", value: under.taken / under.seconds, unit: "texts/s", baseline: FLOW });
    // All of them, or the run has failed.
    bench.figure({ name: "texts delivered", value: sent, unit: "texts", baseline: sent });
    bench.figure({ name: "texts received", value: received, unit: "texts", baseline: received });
  } finally {
    await service.stop();
  }
}

type Busy = { service: Service; target: Target; seconds: number; leads: number; stoppers: number };

/** A flow of texts with looks at /healthz and STOPs, for so many seconds and as long as `beside` takes. */
async function busy({ service, target, seconds, leads, stoppers }: Busy, beside: () => Promise<void>) {
  const begin = performance.now();
  let endedAt: number | undefined;
  const health: number[] = [];
  const stops: number[] = [];
  const flow = async (n: number) => take(service, target, leads + n * FLOW_A_TURN, FLOW_A_TURN);
  const look = async () => {
    const at = performance.now();
    const answer = await fetch(`${service.url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    await answer.text();
    assert.equal(answer.status, 200);
    health.push(performance.now() - at);
  };
  const stop = async (n: number) => {
    const at = performance.now();
    await says(service, phoneOf(stoppers + n), "STOP");
    await optedOut(service, target, phoneOf(stoppers + n));
    stops.push(performance.now() - at);
  };
  const pace = (work: (n: number) => Promise<void>, everyMs: number) =>
    atPace(work, everyMs, () => endedAt !== undefined);
  const over = Promise.all([beside(), pause(seconds * 1_000)]).finally(() => {
    endedAt = performance.now();
  });
  const [turns] = await Promise.all([
    pace(flow, FLOW_EVERY_MS),
    pace(look, LOOK_EVERY_MS),
    pace(stop, STOP_EVERY_MS),
    over,
  ]);
  return { health, stops, taken: turns * FLOW_A_TURN, seconds: (endedAt! - begin) / 1_000 };
}

const FLOW_A_TURN = (FLOW * FLOW_EVERY_MS) / 1_000;

/** Begins `work` at a fixed pace, however long each takes: what is slow must not slow the asking. Answers with how often. */
async function atPace(work: (n: number) => Promise<void>, everyMs: number, isOver: () => boolean): Promise<number> {
  const begin = performance.now();
  const all: Promise<void>[] = [];
  while (!isOver()) {
    const attempt = work(all.length);
    // Heard at the end; until then it must not count as unheard.
    attempt.catch(() => {});
    all.push(attempt);
    await pause(Math.max(0, begin + all.length * everyMs - performance.now()));
  }
  await Promise.all(all);
  return all.length;
}

async function take(service: Service, { campaignId }: Target, from: number, count: number): Promise<void> {
  const { status, body } = await service.post(`/v1/campaigns/${campaignId}/leads`, { clients: leadsOf(count, from) });
  assert.equal(status, 202, JSON.stringify(body));
}

async function says(service: Service, phone: string, text: string): Promise<void> {
  const path = `/v1/simulator/handsets/${encodeURIComponent(phone)}/messages`;
  const { status, body } = await service.post(path, { to: SENDER, text });
  assert.equal(status, 201, JSON.stringify(body));
}

async function play(service: Service, agentId: string, text: string): Promise<void> {
  const { status, body } = await service.post("/v1/playground/turns", { agent_id: agentId, text });
  assert.equal(status, 200, JSON.stringify(body));
}

async function optedOut({ sql }: Service, { tenantId }: Target, phone: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const query = "select from consents where tenant_id = $1 and phone = $2 and opted_out_at is not null";
    const { rowCount } = await sql.query({ name: "opted-out", text: query, values: [tenantId, phone] });
    if (rowCount === 1) return;
    if (performance.now() > end) throw new Error("a STOP was never committed");
    await pause(SEE_EVERY_MS);
  }
}

/** The first text of each lead, and of the one that the campaign began with, arrived once, by the carrier's own records. */
async function delivered(service: Service, { campaignId, id }: Target, leads: number): Promise<void> {
  await until(
    `${leads} leads are texted`,
    async () => {
      const { rows } = await service.sql.query(
        "select count(*)::int as n from messages where campaign_id = $1 and kind = 'start' and state = 'delivered'",
        [id],
      );
      return rows[0].n === leads + 1;
    },
    PATIENCE_MS,
  );
  const { body } = await service.get(`/v1/simulator/traffic?campaign_id=${campaignId}`);
  assert.equal(body.duplicates, 0);
}

const kept = async ({ sql }: Service): Promise<number> =>
  (await sql.query("select count(*)::int as n from inbound_texts")).rows[0].n;
