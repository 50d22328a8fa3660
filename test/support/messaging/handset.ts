import assert from "node:assert/strict";
import pg from "pg";
import { type Parley, until } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";

type Api = Pick<Parley, "get" | "post">;

export const handsetPath = (phone: string): string => `/v1/simulator/handsets/${encodeURIComponent(phone)}`;
export const threadPath = (phone: string, campaignId: string): string =>
  `/v1/sms/threads/${encodeURIComponent(phone)}_${campaignId}`;

/** The texts that arrived at a phone, oldest first, by the carrier's own records. */
export async function textsTo(api: Api, phone: string): Promise<{ text: string; at: string }[]> {
  const { body } = await api.get(handsetPath(phone));
  return body.messages.filter((message: { direction: string }) => message.direction === "to_handset");
}

/** Waits until this many texts have arrived at a phone, and answers with their words. */
export async function gets(api: Api, phone: string, count: number): Promise<string[]> {
  const texts = await until(`${phone} has ${count} texts`, async () => {
    const found = await textsTo(api, phone);
    return found.length >= count && found;
  });
  return texts.map((text) => text.text);
}

/** A phone texts one of our numbers. */
export async function says(api: Api, phone: string, text: string, to: string = SENDER): Promise<void> {
  const { status, body } = await api.post(`${handsetPath(phone)}/messages`, { to, text });
  assert.equal(status, 201, JSON.stringify(body));
}

export async function threadOf(api: Api, phone: string, campaignId: string) {
  const { status, body } = await api.get(threadPath(phone, campaignId));
  assert.equal(status, 200, JSON.stringify(body));
  return body.thread;
}

export async function campaignOf(api: Api, campaignId: string) {
  const { status, body } = await api.get(`/v1/campaigns/${campaignId}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.campaign;
}

/** Waits until a campaign is in a status, and answers with it. */
export function campaignIs(api: Api, campaignId: string, status: string) {
  return until(`${campaignId} is ${status}`, async () => {
    const campaign = await campaignOf(api, campaignId);
    return campaign.status === status && campaign;
  });
}

export async function traffic(api: Api, campaignId?: string) {
  return (await api.get(`/v1/simulator/traffic${campaignId ? `?campaign_id=${campaignId}` : ""}`)).body;
}

/** Moves the tenant's clock by a span or to a moment, and answers with its time. */
export async function moveClock(api: Api, by: { advance_ms: number } | { to: string }): Promise<Date> {
  const { status, body } = await api.post("/v1/simulator/clock", by);
  assert.equal(status, 200, JSON.stringify(body));
  return new Date(body.now);
}

const TENANT =
  "(select id, now() + clock_offset_ms * interval '1 millisecond' as now from tenants where mode = 'test') tenant on tenant.id = tenant_id";

/** Whether there is something to do; `needs` names the role that does it: where there is none nobody is going to. */
const BUSY: readonly { text: string; needs?: string }[] = [
  { text: `select 1 from lanes join ${TENANT} where next_due_at <= tenant.now` },
  { text: "select 1 from attempts where state in ('in_flight', 'uncertain')" },
  { text: `select 1 from simulator_texts join ${TENANT} where owed is not null and owed_at <= tenant.now` },
  { text: `select 1 from simulator_calls join ${TENANT} where owed_at <= tenant.now`, needs: "media" },
  { text: `select 1 from threads join ${TENANT} where reply_due_at <= tenant.now` },
  { text: "select 1 from events where seq is null", needs: "worker" },
  { text: "select 1 from demos where status in ('loading', 'removing')", needs: "worker" },
  { text: "select 1 from graphile_worker.jobs where run_at <= now() and task_identifier <> 'drain-dial-lane'" },
  {
    text: "select 1 from graphile_worker.jobs where run_at <= now() and task_identifier = 'drain-dial-lane'",
    needs: "media",
  },
];
const ROLES = "select distinct unnest(roles) as role from nodes where lost_at is null";

/** In one view of the database: what is on its way from one table to another is in one of them. */
async function isBusy(client: pg.Client): Promise<boolean> {
  await client.query("begin isolation level repeatable read");
  try {
    const { rows: roles } = await client.query<{ role: string }>(ROLES);
    for (const { text, needs } of BUSY) {
      if (needs !== undefined && !roles.some(({ role }) => role === needs)) continue;
      if ((await client.query(`${text} limit 1`)).rows.length > 0) return true;
    }
    return false;
  } finally {
    await client.query("rollback");
  }
}

/**
 * Waits until the service has nothing to do by its tenants' clocks: no lane, webhook, answer or job is due, and all that
 * has happened is in the log of events. What has not happened by then will not happen.
 */
export async function quiet({ databaseUrl }: Pick<Parley, "databaseUrl">): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    // Each server of a cluster has a view of its own, so that one look at all of them is not enough.
    await until("the service is quiet", async () => !(await isBusy(client)) && !(await isBusy(client)));
  } finally {
    await client.end();
  }
}
