import type { TestContext } from "node:test";
import type pg from "pg";
import { wire } from "#app/context.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { drainLane } from "#operations/sending/drain-lane.ts";
import type { OutgoingText, SendOutcome, SmsCapabilities, SmsCarrier } from "#ports/sms-carrier.ts";
import { type Parley, startParley } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Fields = Record<string, unknown>;

/** A campaign whose texts are due and that nobody works on but the test. */
export type Sending = {
  api: Parley;
  ctx: Context;
  client: pg.Client;
  tenantId: Uuid;
  lane: { tenantId: Uuid; laneId: Uuid };
  campaignId: string;
  /** A second context on the same database: another process, as far as operations can see. */
  another(): Context;
};

/** Makes a campaign of `contacts` phones, +12124440000 on, without a worker. */
export async function aSending(
  t: TestContext,
  contacts: number,
  more: { agent?: Fields; env?: Record<string, string> } = {},
): Promise<Sending> {
  const api = await startParley(t, more.env, ["api"]);
  await aNoon(api);
  const { campaignId } = await aCampaign(api, {
    contacts: Array.from({ length: contacts }, (_, i) => ({ phone_number: phone(i), first_name: `N${i}` })),
    ...(more.agent ? { agent: more.agent } : {}),
  });
  const client = await openClient(t, api.databaseUrl);
  const { rows } = await client.query("select tenant_id, lane_id from campaigns");
  const tenantId = rows[0].tenant_id as Uuid;
  const another = () => {
    const { ctx, close } = wire(api.config, api.databaseUrl, "test");
    t.after(close);
    return ctx;
  };
  return { api, ctx: another(), client, tenantId, lane: { tenantId, laneId: rows[0].lane_id }, campaignId, another };
}

export const phone = (i: number): string => `+1212444${String(i).padStart(4, "0")}`;

/** What the carrier answers, and everything that it was handed. */
export type FakeCarrier = SmsCarrier & { handed: OutgoingText[]; taken: Map<Uuid, OutgoingText> };
type Answer = (text: OutgoingText) => SendOutcome | Promise<SendOutcome>;

/**
 * A carrier that follows the test's script. What it accepts it has taken; `uncertain` texts it has taken when the code says
 * so: { outcome: "uncertain", code: "taken" }.
 */
export function aCarrier(answer: Answer, capabilities: Partial<SmsCapabilities> = {}): FakeCarrier {
  const handed: OutgoingText[] = [];
  const taken = new Map<Uuid, OutgoingText>();
  return {
    name: "simulator",
    capabilities: {
      lookupByRef: true,
      callbackCarriesRef: true,
      settleMs: 2_000,
      callbackWithinMs: 600_000,
      defaultRatePerSecond: undefined,
      ...capabilities,
    },
    handed,
    taken,
    mayUseSender: async () => true,
    async send({ texts }) {
      handed.push(...texts);
      const outcomes = await Promise.all(texts.map(answer));
      for (const [i, outcome] of outcomes.entries()) {
        const wasTaken =
          outcome.outcome === "accepted" || (outcome.outcome === "uncertain" && outcome.code === "taken");
        if (wasTaken) taken.set(texts[i]!.ref, texts[i]!);
      }
      return outcomes;
    },
    lookUp: async (_tenantId, attempts) =>
      new Map(attempts.filter(({ ref }) => taken.has(ref)).map(({ ref }) => [ref, { carrierId: `c_${ref}` }])),
  };
}

export const accepted = ({ ref }: OutgoingText): SendOutcome => ({ outcome: "accepted", carrierId: `c_${ref}` });

/** The context with this carrier for every name, and its clock ahead. */
export function withCarrier(ctx: Context, carrier: SmsCarrier, aheadMs = 0): Context {
  return {
    ...ctx,
    now: () => new Date(Date.now() + aheadMs),
    carriers: { ...ctx.carriers, simulator: carrier },
  };
}

/** A drain that has gone on for so long rings for another, which goes on with the rest. */
export const DRAINS_FOR_MS = 10_000;

/** Sends all that is due. */
export async function drain(ctx: Context, lane: Sending["lane"]): Promise<void> {
  for (let isThrough = false; !isThrough; ) {
    const begun = performance.now();
    await drainLane(ctx, lane, new AbortController().signal);
    isThrough = performance.now() - begun < DRAINS_FOR_MS;
  }
}

/** How many rows are in each state: { accepted: 3 }. */
export async function states(client: pg.Client, table: "attempts" | "messages" | "threads"): Promise<Fields> {
  const { rows } = await client.query(`select state, count(*)::int as n from ${table} group by state order by state`);
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}
