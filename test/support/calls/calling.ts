import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { wire } from "#app/context.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallReport } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { drainDialLane, finishCalls } from "#operations/dialing/conduct-calls.ts";
import type { CallLine, CallLineCapabilities, CallObserver, LiveCall, PlaceOutcome } from "#ports/call-line.ts";
import { type Parley, startParley } from "#test/support/api/parley.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { DRAINS_FOR_MS } from "#test/support/messaging/sending.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Fields = Record<string, unknown>;

/** What becomes of one call: how it is placed, and how it goes. */
export type Course = {
  placed?: PlaceOutcome;
  report?: Partial<CallReport>;
  /** Resolves when it may end; at once by default. */
  until?: Promise<unknown>;
  /** Said to the observer while it goes on, after the answer. */
  during?: (on: CallObserver) => Promise<void>;
};

export type FakeLine = CallLine & {
  begun: CallPlan[];
  left: CallPlan[];
  stopped: string[];
  /** With each call that was begun, how many were going on. */
  atOnce: number[];
  readonly mostAtOnce: number;
};

/** A line that follows `course`. Placed calls are kept in `left`; a call is answered when its report says so. */
export function aLine(
  course: (plan: CallPlan) => Course = () => ({}),
  more: Partial<CallLineCapabilities> & { room?: number } = {},
): FakeLine {
  const { room, ...capabilities } = more;
  const open = new Set<Uuid>();
  const line: FakeLine = {
    name: "simulator",
    capabilities: {
      lookupByRef: true,
      settleMs: 2_000,
      callsPerSecond: undefined,
      concurrency: undefined,
      ...capabilities,
    },
    begun: [],
    left: [],
    stopped: [],
    atOnce: [],
    get mostAtOnce() {
      return Math.max(0, ...line.atOnce);
    },
    room: () => (room ?? Number.POSITIVE_INFINITY) - open.size,
    mayCallFrom: async () => true,
    begin(plan, on, mayLeave): LiveCall {
      const played = course(plan);
      line.begun.push(plan);
      open.add(plan.callId);
      line.atOnce.push(open.size);
      const stop = Promise.withResolvers<CallReport["reason"]>();
      const placed = (async (): Promise<PlaceOutcome> => {
        await pause(1);
        if (!mayLeave()) return { outcome: "not_placed", code: "held_up", retryAfterMs: 0 };
        const outcome = played.placed ?? { outcome: "placed", carrierId: `c_${plan.ref}` };
        if (outcome.outcome === "placed" || outcome.outcome === "uncertain") line.left.push(plan);
        return outcome;
      })();
      const report = (async (): Promise<CallReport> => {
        const outcome = await placed;
        const result = { ...talked(plan), ...played.report };
        if (outcome.outcome === "placed" && result.durationMs > 0)
          await on({ kind: "answered", at: result.answeredAt! });
        await played.during?.(on);
        const reason = await Promise.race([stop.promise, Promise.resolve(played.until).then(() => undefined)]);
        open.delete(plan.callId);
        return reason ? { ...result, reason } : result;
      })();
      return {
        placed,
        report,
        stop: (reason) => {
          line.stopped.push(plan.contactPhone);
          stop.resolve(reason);
        },
        inject: () => true,
      };
    },
    lookUp: async (_tenantId, refs) =>
      new Map(
        refs.filter((ref) => line.left.some((plan) => plan.ref === ref)).map((ref) => [ref, { carrierId: `c_${ref}` }]),
      ),
  };
  return line;
}

/** A call of a minute in which both spoke. */
export const talked = (plan: Pick<CallPlan, "now">): CallReport => ({
  status: "ended",
  reason: "user_hangup",
  dialedAt: plan.now,
  answeredAt: plan.now,
  endedAt: new Date(Date.parse(plan.now) + 60_000).toISOString(),
  durationMs: 60_000,
  answerer: "human",
  inVoicemail: false,
  voicemailLeft: false,
  utterances: [
    { role: "agent", text: "Hello, this is Ava.", startMs: 0, endMs: 900, words: [] },
    { role: "contact", text: "Hi.", startMs: 1_000, endMs: 1_200, words: [] },
  ],
  latencies: [],
  requests: {},
  usage: { voiceCharacters: 19, speechToTextMs: 60_000, inputTokens: 0, outputTokens: 0 },
});

/** A call that was not answered. */
export const untaken = (reason: CallReport["reason"], at: string): Partial<CallReport> => ({
  status: "not_connected",
  reason,
  answeredAt: undefined as never,
  endedAt: at,
  durationMs: 0,
  utterances: [],
});

export type Calling = {
  api: Parley;
  ctx: Context;
  client: pg.Client;
  tenantId: Uuid;
  lane: { tenantId: Uuid; laneId: Uuid };
  campaignId: string;
  made: Fields;
  /** A second context on the same database with this line: another process, as far as operations can see. */
  with(line: CallLine, aheadMs?: number): Context;
};

export const phone = (i: number): string => `+1212444${String(i).padStart(4, "0")}`;

/** A voice agent's ids and owners. */
export async function aVoiceAgent(api: Pick<Parley, "post">, agent: Fields = {}) {
  const organizationId = (await api.post("/v1/organizations", { name: "Acme" })).body.unique_id as string;
  const user = { name: "Uma", email: `u-${organizationId.slice(-10)}@example.com`, permission: "admin" };
  const userId = (await api.post(`/v1/organizations/${organizationId}/users`, user)).body.unique_id as string;
  const { body } = await api.post("/v1/agents", {
    agent_type: "voice",
    agent_name: "Ava",
    prompt: "Find out whether the contact wants to buy a home.",
    starting_message: "Hello {{first_name}}, this is Ava of Acme. Do you have a minute?",
    voice_id: "11labs-Adrian",
    organization_id: organizationId,
    user_id: userId,
    ...agent,
  });
  return { organizationId, userId, agentId: body.agent_id as string, voiceAgentId: body.voice_agent_id as string };
}

/** Makes a voice campaign of `contacts` phones, +12124440000 on, that nobody works on but the test. */
export async function aCalling(t: TestContext, contacts: number, campaign: Fields = {}): Promise<Calling> {
  const api = await startParley(t, {}, ["api"]);
  await aNoon(api);
  const { voiceAgentId } = await aVoiceAgent(api);
  const { status, body } = await api.post("/v1/voice/campaigns", {
    leads: Array.from({ length: contacts }, (_, i) => ({ phone_number: phone(i), first_name: `N${i}` })),
    voice_agent_id: voiceAgentId,
    agent_outbound_number: SENDER,
    max_concurrent_calls: 1_000,
    calls_per_second: 1_000,
    ...campaign,
  });
  if (status !== 202) throw new Error(JSON.stringify(body));
  const client = await openClient(t, api.databaseUrl);
  const { rows } = await client.query("select tenant_id, id from campaigns");
  const tenantId = rows[0].tenant_id as Uuid;
  const wired = (line: CallLine | undefined, aheadMs = 0): Context => {
    const { ctx, close } = wire(api.config, api.databaseUrl, "test");
    const own: Context = {
      ...ctx,
      now: () => new Date(Date.now() + aheadMs),
      ...(line ? { lines: { forNumber: async () => line, names: () => [line.name], byName: () => line } } : {}),
    };
    t.after(async () => {
      // A test may have set a line never to end a call.
      await Promise.race([finishCalls(own, 0), pause(1_000, undefined, { ref: false })]);
      await close();
    });
    return own;
  };
  const lane = { tenantId, laneId: rows[0].id as Uuid };
  return { api, ctx: wired(undefined), client, tenantId, lane, campaignId: body.campaign_id, made: body, with: wired };
}

/** Places what is due, and waits until every call of this context is over and written down. */
export async function drain(ctx: Context, lane: Calling["lane"]): Promise<void> {
  for (let isThrough = false; !isThrough; ) {
    const begun = performance.now();
    await drainDialLane(ctx, lane, new AbortController().signal);
    isThrough = performance.now() - begun < DRAINS_FOR_MS;
  }
  await finishCalls(ctx, 60_000);
}

/** How many rows are in each state: { done: 3 }. */
export async function states(
  client: pg.Client,
  table: "attempts" | "dials" | "threads" | "calls",
): Promise<Record<string, number>> {
  const column = table === "calls" ? "status" : "state";
  const { rows } = await client.query(
    `select ${column} as state, count(*)::int as n from ${table} group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}
