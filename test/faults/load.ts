import { setTimeout as pause } from "node:timers/promises";
import { type Answer, until } from "#test/support/api/parley.ts";
import { aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { CANARY, HELD_JOBS } from "./checkers.ts";
import type { Client, World } from "./world.ts";

/** Numbers that follow from a seed, 0 <= n < 1: the same run again (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Longest that a client goes on asking for what it was not answered. */
const PATIENCE_MS = 120_000;
/** After a first failure; twice as long after each, as clients are to do. */
const ASK_AGAIN_MS = 100;
const ASK_AGAIN_AT_MOST_MS = 3_000;

/**
 * Asks until the answer is a 2xx, as a careful client does: again after a 5xx, a 429, a 409 that says "still running", and no
 * answer at all. Anything else is the harness's mistake. The tries, and the answer.
 */
export async function persist(
  ask: () => Promise<Answer>,
  ending: AbortSignal,
  withinMs = PATIENCE_MS,
): Promise<Answer & { tries: number }> {
  const end = Date.now() + withinMs;
  for (let tries = 1; ; tries++) {
    ending.throwIfAborted();
    const answer = await ask().catch((error: Error) => ({ status: 0, headers: new Headers(), body: error.message }));
    if (answer.status >= 200 && answer.status < 300) return { ...answer, tries };
    const again = answer.status === 0 || answer.status >= 500 || answer.status === 429 || answer.status === 409;
    if (!again || Date.now() > end) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    const waitMs = Math.min(ASK_AGAIN_AT_MOST_MS, ASK_AGAIN_MS * 2 ** (tries - 1));
    // Not all at once: what comes back is not to be knocked over again.
    await pause(waitMs * (0.5 + Math.random()));
  }
}

const phonesMade = new WeakMap<World, number>();

/** Phones that no campaign of this world has had, in New York, outside the ranges with scripts. */
export function newPhones(world: World, count: number): string[] {
  const first = phonesMade.get(world) ?? 0;
  phonesMade.set(world, first + count);
  return Array.from({ length: count }, (_, i) => `+1212${4_000_000 + first + i}`);
}

export type Campaign = { campaignId: string; phones: readonly string[] };

/** Nobody here sends a thought in pieces, and each fault waits for its last answer: for the usual four seconds that would be. */
const REPLY_DELAY_MS = 500;

/** Posts a campaign until it is acknowledged, and remembers that it was. The tenant's clock is at noon of a weekday. */
export async function aRun(
  world: World,
  wanted: {
    phones: readonly string[];
    api?: Client;
    agent?: Record<string, unknown>;
    /** More of the campaign, made for its organization. */
    campaign?: (owner: { organizationId: string; userId: string }) => Promise<Record<string, unknown>>;
    name?: string;
  },
): Promise<Campaign> {
  const api = wanted.api ?? world.api;
  const parts = await anAgent(api, {
    reply_delay_ms: REPLY_DELAY_MS,
    ...(api === world.other
      ? {
          agent_name: CANARY,
          starting_message: `Hello from ${CANARY}`,
          drip_schedule: [{ day: 1, message: `${CANARY} again` }],
        }
      : {}),
    ...wanted.agent,
  });
  const more = await wanted.campaign?.(parts);
  const campaign_id = `${wanted.name ?? "run"}-${Math.random().toString(36).slice(2)}`;
  await persist(
    () =>
      api.post("/v1/campaigns", {
        campaign_id,
        campaign_name: "Fault",
        organization_id: parts.organizationId,
        user_id: parts.userId,
        sms_agent_id: parts.agentId,
        svc_sms_number: SENDER,
        contacts: wanted.phones.map((phone_number) => ({ phone_number })),
        ...more,
      }),
    world.ending,
  );
  world.acknowledged.campaigns.set(campaign_id, wanted.phones);
  return { campaignId: campaign_id, phones: wanted.phones };
}

/** Sets both tenants' clocks to a noon at which every mainland window is open. */
export async function noon(world: World): Promise<void> {
  for (const api of [world.api, world.other]) await aNoon(api);
}

/** A handset's text, asked for until the carrier has it: from then on it counts as acknowledged. */
export async function say(world: World, phone: string, text: string, api = world.api): Promise<{ tries: number }> {
  const { body, tries } = await persist(
    () => api.post(`/v1/simulator/handsets/${encodeURIComponent(phone)}/messages`, { to: SENDER, text }),
    world.ending,
  );
  world.acknowledged.texts.set(body.carrier_id, { phone, text, ...(api === world.other ? { other: true } : {}) });
  return { tries };
}

/** From the moment at which each of these phones said STOP, in real time, to the commit of its opt-out: milliseconds. */
export async function stopTimes(world: World, saidAt: ReadonlyMap<string, number>): Promise<number[]> {
  const rows = await world.sql<{ phone: string; at: Date }>(
    "select phone, at from faults.stops where phone = any($1::text[])",
    [[...saidAt.keys()]],
  );
  if (rows.length !== saidAt.size) throw new Error(`${rows.length} of ${saidAt.size} opt-outs are committed`);
  return rows.map(({ phone, at }) => at.getTime() - saidAt.get(phone)!);
}

/** Calls `work` for each of `them`, spread evenly over a time, until the signal. Resolves to how many were done. */
export async function spread<T>(
  them: readonly T[],
  overMs: number,
  work: (item: T) => Promise<unknown>,
  signal: AbortSignal,
): Promise<number> {
  const begin = performance.now();
  const under = new Set<Promise<unknown>>();
  let failure: unknown;
  let done = 0;
  for (const [i, item] of them.entries()) {
    const waitMs = begin + (overMs * i) / them.length - performance.now();
    if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => {});
    if (signal.aborted || failure !== undefined) break;
    const one: Promise<unknown> = work(item)
      .then(() => done++)
      .catch((error) => {
        failure ??= error;
      })
      .finally(() => under.delete(one));
    under.add(one);
  }
  await Promise.all(under);
  if (failure !== undefined) throw failure;
  return done;
}

/** How many texts the carrier has taken, of all campaigns or of one. */
export const taken = async ({ sql }: World, campaignId: string | null = null): Promise<number> =>
  (
    await sql<{ n: number }>(
      "select count(*)::int as n from simulator_texts where direction = 'to_handset' and ($1::text is null or campaign = $1)",
      [campaignId],
    )
  )[0]!.n;

const TO_DO = `
  with tenant as (select id, now() + clock_offset_ms * interval '1 millisecond' as now from tenants where mode = 'test')
  select (select count(*) from messages join tenant on tenant.id = tenant_id where due_at <= tenant.now)::int as due,
    (select count(*) from attempts where state in ('in_flight', 'uncertain'))::int as open,
    (select count(*) from simulator_texts join tenant on tenant.id = tenant_id where owed is not null and owed_at <= tenant.now)::int as owed,
    (select count(*) from threads where reply_due_at is not null)::int as replies,
    (${HELD_JOBS})::int as held`;

/** A worker that dies in the middle of an answer leaves it to the next one this much later (operations/messaging/reply-to-thread.ts), with time for all else. */
const NOTHING_DUE_WITHIN_MS = 150_000;

/** Between two looks at what is due: they count tables of a hundred thousand rows, beside those who are to empty them. */
const SELDOM_MS = 100;

/** Waits until nothing is due any more: what has not happened by then will not happen. How long it took. */
export async function drained(world: World, withinMs = NOTHING_DUE_WITHIN_MS): Promise<number> {
  const begin = performance.now();
  let last: Record<string, number> = {};
  try {
    await until(
      "nothing is due any more",
      async () => {
        const rows = await world.sql<Record<string, number>>(TO_DO).catch(() => undefined);
        if (!rows) return false;
        last = rows[0]!;
        if (Object.values(last).every((n) => n === 0)) return true;
        await pause(SELDOM_MS);
        return false;
      },
      withinMs,
    );
  } catch (error) {
    for (const worker of world.workers) world.t.diagnostic(worker.said.join("").slice(-1_500));
    throw new Error(`${(error as Error).message}: ${JSON.stringify(last)}`);
  }
  return performance.now() - begin;
}

/** From each worker's death to the settling of every attempt that it left open, in milliseconds, sorted. */
export async function recoveries(world: World, killedAt: ReadonlyMap<string, number>): Promise<number[]> {
  const rows = await world.sql<{ node_id: string; settled_at: Date }>(
    `select attempt.node_id, attempt.settled_at - tenants.clock_offset_ms * interval '1 millisecond' as settled_at
     from attempts attempt join tenants on tenants.id = attempt.tenant_id where attempt.node_id = any($1)`,
    [[...killedAt.keys()]],
  );
  return rows
    .map((row) => row.settled_at.getTime() - killedAt.get(row.node_id)!)
    .filter((ms) => ms > 0)
    .sort((a, b) => a - b);
}
