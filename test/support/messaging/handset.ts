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

const BUSY = `
  with tenant as (select id, now() + clock_offset_ms * interval '1 millisecond' as now from tenants where mode = 'test'),
    -- Calls wait for one; where there is none nobody is going to take them.
    media as (select from nodes where 'media' = any(roles) and lost_at is null),
    -- So do events for their numbers, and demo data for being loaded or removed.
    worker as (select from nodes where 'worker' = any(roles) and lost_at is null)
  select exists (select from lanes join tenant on tenant.id = tenant_id where next_due_at <= tenant.now) as lanes,
    exists (select from attempts where state in ('in_flight', 'uncertain')) as attempts,
    exists (select from simulator_texts join tenant on tenant.id = tenant_id where owed is not null and owed_at <= tenant.now) as webhooks,
    exists (select from simulator_calls join tenant on tenant.id = tenant_id where owed_at <= tenant.now and exists (select from media)) as calls,
    exists (select from threads join tenant on tenant.id = tenant_id where reply_due_at <= tenant.now) as replies,
    exists (select from events where seq is null and exists (select from worker)) as events,
    exists (select from demos where status in ('loading', 'removing') and exists (select from worker)) as demos,
    exists (select from graphile_worker.jobs
      where run_at <= now() and (task_identifier <> 'drain-dial-lane' or exists (select from media))) as jobs`;

/**
 * Waits until the service has nothing to do by its tenants' clocks: no lane, webhook, answer or job is due, and all that
 * has happened is in the log of events. What has not happened by then will not happen.
 */
export async function quiet({ databaseUrl }: Pick<Parley, "databaseUrl">): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await until("the service is quiet", async () => {
      const { rows } = await client.query<Record<string, boolean>>(BUSY);
      return Object.values(rows[0]!).every((busy) => !busy);
    });
  } finally {
    await client.end();
  }
}
