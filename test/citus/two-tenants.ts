import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { parseId } from "#domain/values/id.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath } from "#test/support/messaging/handset.ts";
import { assertLedger, percentile } from "#test/support/messaging/ledger.ts";

const CONTACTS = 120;
const CALLS = 5;
/** Texts a second, so that a campaign goes on while things happen. */
const RATE = "5";
/** On a busy machine, with everything on it. */
export const WITHIN_MS = 240_000;

export type Tenant = Awaited<ReturnType<typeof anotherTenant>>;
/** A tenant, and the port of the server that has the rows of both its modes. */
export type Placed = { api: Tenant; port: number };

const PLACES = `
  select port from (
    select distinct nodeport as port from unnest($1::uuid[]) id
    join pg_dist_placement on shardid = get_shard_id_for_distribution_column('tenants', id)
    join pg_dist_node using (groupid)) ports`;

/** Two tenants, each with both of its modes on one server, and not on the same. */
async function onTwoServers(parley: Parley, client: pg.Client): Promise<[Placed, Placed]> {
  const placed = new Map<number, Placed>();
  for (let tries = 0; placed.size < 2; tries++) {
    assert.ok(tries < 50, "tenants come onto both servers");
    const api = await anotherTenant(parley);
    const accountId = parseId("tenant", (await api.get("/v1/me")).body.tenant_id)!;
    const { rows: modes } = await client.query("select id from tenants where account_id = $1", [accountId]);
    const { rows } = await client.query<{ port: number }>(PLACES, [modes.map(({ id }) => id)]);
    if (rows.length === 1 && !placed.has(rows[0]!.port)) placed.set(rows[0]!.port, { api, port: rows[0]!.port });
  }
  return [...placed.values()] as [Placed, Placed];
}

const contactsOf = (area: number) =>
  Array.from({ length: CONTACTS }, (_, i) => ({ phone_number: `+1212${area}${1000 + i}`, first_name: "Ann" }));

const sentOf = async (api: Tenant, campaignId: string) =>
  (await api.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body;

/** A tenant's campaign that is being sent. */
export type Sending = Placed & { campaignId: string; owner: { organization_id: string; user_id: string } };

export const isCompleted = async ({ api, campaignId }: Sending): Promise<boolean> =>
  (await api.get(`/v1/campaigns/${campaignId}`)).body.campaign?.status === "completed";

/**
 * A service over a cluster, and two tenants on two servers, each of which sends. `prepare`: what is done once it is known where the tenants are, before they
 * send.
 */
export async function twoTenants(
  t: TestContext,
  prepare: (client: pg.Client, there: Placed, away: Placed) => Promise<void> = async () => {},
): Promise<{ parley: Parley; client: pg.Client; there: Sending; away: Sending }> {
  const parley = await startParley(t, { PARLEY_SIMULATOR_RATE: RATE, PARLEY_LOG_LEVEL: "warn" }, [
    "api",
    "worker",
    "media",
  ]);
  const client = new pg.Client({ connectionString: parley.databaseUrl });
  client.on("error", () => {});
  await client.connect();
  t.after(() => client.end());
  const placed = await onTwoServers(parley, client);
  await prepare(client, ...placed);
  const [there, away] = [await send(placed[0], 444), await send(placed[1], 445)];
  await until("both send", async () => {
    const sent = await Promise.all([there, away].map(({ api, campaignId }) => sentOf(api, campaignId)));
    return sent.every((traffic) => traffic.accepted >= 10);
  });
  return { parley, client, there, away };
}

async function send(placed: Placed, area: number): Promise<Sending> {
  await aNoon(placed.api);
  const made = await aCampaign(placed.api, { contacts: contactsOf(area) });
  const owner = { organization_id: made.organizationId, user_id: made.userId };
  return { ...placed, campaignId: made.campaignId, owner };
}

/** Has a tenant add people, stop one of them, and call the others: each is called once, each call has its record, judgement and events, and the requests are in the log. */
export async function everythingElse({ api, owner }: Sending): Promise<void> {
  const phones = Array.from({ length: CALLS }, (_, i) => `+1646444${1000 + i}`);
  for (const phone of phones)
    await api.put(handsetPath(phone), { behavior: "answer", says: ["Yes, go ahead.", "No thanks, bye."] });
  const stopped = "+16464442000";
  assert.equal((await api.post("/v1/dnc/add", { phone_number: stopped })).status, 201);
  const { voiceAgentId } = await aVoiceAgent(api);
  const campaign_id = `calls-${owner.organization_id.slice(-8)}`;
  const { status, body } = await api.post("/v1/voice/campaigns", {
    campaign_id,
    leads: [...phones, stopped].map((phone_number) => ({ phone_number, first_name: "Ann" })),
    voice_agent_id: voiceAgentId,
    agent_outbound_number: SENDER,
    calls_per_second: 100,
  });
  assert.equal(status, 202, JSON.stringify(body));
  const campaign = async () => (await api.get(`/v1/voice/campaigns/${campaign_id}`)).body.campaign;
  await until("its calls are over", async () => (await campaign())?.status === "completed", WITHIN_MS);
  assert.equal((await campaign()).counts.connected, CALLS);
  for (const kind of ["call.started", "call.ended", "call.analysed"])
    await until(`${kind} is known of each call`, async () => {
      const { events } = (await api.get(`/v1/events?kinds=${kind}&campaign_id=${campaign_id}`)).body;
      return events?.length === CALLS;
    });
  await until("what it asked for is in the log of requests", async () => {
    const { requests } = (await api.get("/v1/requests?operation=createVoiceCampaign")).body;
    return requests?.length === 1;
  });
}

/** Waits until both campaigns are completed: each contact has one text, and what is on record agrees with that. */
export async function bothComplete(databaseUrl: string, campaigns: readonly Sending[]): Promise<void> {
  for (const sending of campaigns) await until("its campaign completes", () => isCompleted(sending), WITHIN_MS);
  for (const { api, campaignId } of campaigns) {
    const { accepted: n, distinct, duplicates } = await sentOf(api, campaignId);
    assert.deepEqual({ n, distinct, duplicates }, { n: CONTACTS, distinct: CONTACTS, duplicates: 0 });
  }
  // Its own: a server that was ended takes connections with it.
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await assertLedger(client).finally(() => client.end());
}

/** Asks for a campaign again and again, and notes how long each answer took and what it was. */
export function asking({ api, campaignId }: Sending) {
  const times: number[] = [];
  const wrong: number[] = [];
  let isOver = false;
  const over = (async () => {
    while (!isOver) {
      const began = performance.now();
      const { status } = await api.get(`/v1/campaigns/${campaignId}`);
      times.push(performance.now() - began);
      if (status !== 200) wrong.push(status);
      await pause(20);
    }
  })();
  return {
    async end() {
      isOver = true;
      await over;
      return { times, wrong };
    },
  };
}

/** Their median, 99th percentile and most, for a person. */
export const inShort = (ms: readonly number[]): string =>
  [0.5, 0.99, 1].map((share) => `${Math.round(percentile(ms, share))}`).join("/");
