import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { parseId } from "#domain/values/id.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { type ClusterServer, clusterServer } from "#test/support/database/citus.ts";
import { assertLedger, percentile } from "#test/support/messaging/ledger.ts";

const CONTACTS = 120;
/** Texts a second, so that a campaign goes on while things happen. */
const RATE = "5";

/** On a busy machine, with everything on it. */
const WITHIN_MS = 240_000;

type Tenant = Awaited<ReturnType<typeof anotherTenant>>;

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
type Placed = { api: Tenant; port: number };

const contactsOf = (area: number) =>
  Array.from({ length: CONTACTS }, (_, i) => ({ phone_number: `+1212${area}${1000 + i}`, first_name: "Ann" }));

const sentOf = async (api: Tenant, campaignId: string) =>
  (await api.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body;

const isCompleted = async (api: Tenant, campaignId: string) =>
  (await api.get(`/v1/campaigns/${campaignId}`)).body.campaign?.status === "completed";

/** Asks for a campaign again and again, and notes how long each answer took and what it was. */
function asking(api: Tenant, campaignId: string) {
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

type Change = (server: ClusterServer) => Promise<void>;

async function withoutOneServer(t: TestContext, down: Change, back: Change): Promise<void> {
  const parley = await startParley(t, { PARLEY_SIMULATOR_RATE: RATE, PARLEY_LOG_LEVEL: "warn" });
  const client = new pg.Client({ connectionString: parley.databaseUrl });
  client.on("error", () => {});
  await client.connect();
  t.after(() => client.end());
  const [there, away] = await onTwoServers(parley, client);
  const server = await clusterServer(away.port);
  const campaigns: string[] = [];
  for (const [i, { api }] of [there, away].entries()) {
    await aNoon(api);
    campaigns.push((await aCampaign(api, { contacts: contactsOf(444 + i) })).campaignId);
  }
  const [ofThere, ofAway] = campaigns as [string, string];
  await until("both send", async () => {
    const sent = await Promise.all([sentOf(there.api, ofThere), sentOf(away.api, ofAway)]);
    return sent.every((traffic) => traffic.accepted >= 10);
  });
  const before = asking(there.api, ofThere);
  await pause(3_000);
  const usual = await before.end();

  const meanwhile = asking(there.api, ofThere);
  const began = performance.now();
  const said: string[] = [];
  try {
    await down(server);
    const refused = await until("the tenant of the server that is down is refused", async () => {
      const answer = await away.api.get(`/v1/campaigns/${ofAway}`);
      return answer.status === 503 && answer;
    });
    said.push(`refused after ${Math.round(performance.now() - began)} ms`);
    assert.ok(Number(refused.headers.get("retry-after")) > 0, "with a time after which to ask again");
    await until("the other tenant's campaign completes", () => isCompleted(there.api, ofThere), WITHIN_MS);
    const atOnce = performance.now();
    assert.equal((await away.api.get(`/v1/campaigns/${ofAway}`)).status, 503);
    said.push(`then within ${Math.round(performance.now() - atOnce)} ms`);
  } finally {
    await back(server);
  }
  const { times, wrong } = await meanwhile.end();
  assert.deepEqual(wrong, [], "the other tenant was always answered");
  await until("its tenant's campaign completes", () => isCompleted(away.api, ofAway), WITHIN_MS);
  for (const [api, campaignId] of [
    [there.api, ofThere],
    [away.api, ofAway],
  ] as const) {
    const { accepted: n, distinct, duplicates } = await sentOf(api, campaignId);
    assert.deepEqual({ n, distinct, duplicates }, { n: CONTACTS, distinct: CONTACTS, duplicates: 0 });
  }
  await assertLedger(client);
  const ms = (values: readonly number[]) =>
    [0.5, 0.99, 1].map((share) => `${Math.round(percentile(values, share))}`).join("/");
  t.diagnostic(
    `${said.join(", ")}; the other tenant's answers, p50/p99/most in ms: ${ms(usual.times)} before, ${ms(times)} of ${times.length} meanwhile`,
  );
}

test("while a server is killed the tenants of the others go on, and its own when it is back", (t) =>
  withoutOneServer(
    t,
    (server) => server.kill(),
    (server) => server.start(),
  ));

test("while a server is suspended the tenants of the others go on, and its own when it is back", (t) =>
  withoutOneServer(
    t,
    (server) => server.pause(),
    (server) => server.resume(),
  ));
