import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import type { Uuid } from "#domain/values/id.ts";
import { verifyAuditLog } from "#operations/accounts/verify-audit.ts";
import type { Context } from "#operations/context.ts";
import { chainRecords } from "#operations/system/chain-records.ts";
import * as chain from "#store/database/chain.ts";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { anAgent } from "#test/support/campaigns/campaign.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const MANY = 10_000;

/** Consents that came with a list of contacts, chained; the chain is the test mode's. */
async function chained(t: TestContext, many: number) {
  const api = await startParley(t, {}, ["api"]);
  const { organizationId, userId } = await anAgent(api);
  const contacts = Array.from({ length: many }, (_, n) => ({
    phone_number: phoneOf(n),
    consent_basis: "express_written",
    consent_source: "web_form",
    consent_proof: `form ${n}, "é" \ud83d\ude00`,
    consent_at: "2026-01-02T03:04:05.678Z",
  }));
  const begun = performance.now();
  const made = await api.post("/v1/contacts/lists", {
    list_name: "With consent",
    organization_id: organizationId,
    user_id: userId,
    contacts,
  });
  assert.deepEqual([made.status, made.body.invalid], [201, []]);
  const stored = performance.now();
  const wired = wire(api.config, api.databaseUrl, "test");
  t.after(wired.close);
  while (await chainRecords(wired.ctx));
  const linked = performance.now();
  const client = await openClient(t, api.databaseUrl);
  const { rows } = await client.query("select distinct tenant_id from consent_records");
  t.diagnostic(
    `${many} consents: stored in ${Math.round(stored - begun)} ms, linked in ${Math.round(linked - stored)} ms`,
  );
  return { api, ctx: wired.ctx, tenantId: rows[0].tenant_id as Uuid, client, organizationId };
}

const phoneOf = (n: number): string => `+1212555${String(n).padStart(4, "0")}`;

const contactIdOf = async (api: Parley, organizationId: string, phone: string): Promise<string> =>
  (await api.get(`/v1/contacts/leads?organization_id=${organizationId}&phone_number=${encodeURIComponent(phone)}`)).body
    .leads[0].unique_id;

async function faultOf(ctx: Context, tenantId: Uuid): Promise<string | undefined> {
  const { fault } = await verifyAuditLog(ctx, tenantId, []);
  return fault && `${fault.seq}: ${fault.what}`;
}

test("10,000 consents of a list are in the chain, and one that is changed, removed or swapped is named", async (t) => {
  const { ctx, tenantId, client } = await chained(t, MANY);
  const begun = performance.now();
  const used = process.cpuUsage();
  const whole = await verifyAuditLog(ctx, tenantId, []);
  const { user, system } = process.cpuUsage(used);
  t.diagnostic(
    `verified in ${Math.round(performance.now() - begun)} ms, ${Math.round((user + system) / 1000)} of the processor`,
  );
  // Test mode's chain is the one of the audit log too here, which has what made the organization and the list.
  assert.deepEqual([whole.fault, whole.links - whole.entries, whole.consents], [undefined, MANY, MANY]);

  const at = async (seq: number) =>
    (await client.query("select ref from chain_links where tenant_id = $1 and seq = $2", [tenantId, seq])).rows[0].ref;
  const [one, other] = [await at(4711), await at(5000)];
  const change = (sql: string, ...values: unknown[]) => client.query(sql, [tenantId, ...values]);

  await change("update consent_records set proof = proof || '.' where tenant_id = $1 and id = $2", one);
  assert.equal(await faultOf(ctx, tenantId), `4711: its consent ${one} was changed`);
  await change("update consent_records set proof = rtrim(proof, '.') where tenant_id = $1 and id = $2", one);

  const swap =
    "update consent_records set id = case when id = $2 then $3 else $2 end::uuid where tenant_id = $1 and id in ($2, $3)";
  await change(swap, one, other);
  assert.equal(await faultOf(ctx, tenantId), `4711: its consent ${one} was changed`);
  await change(swap, one, other);

  await change("update consent_records set salt = null where tenant_id = $1 and id = $2", one);
  assert.equal(await faultOf(ctx, tenantId), `4711: its consent ${one} was changed`, "not as one from before");

  await change("delete from consent_records where tenant_id = $1 and id = $2", one);
  assert.equal(await faultOf(ctx, tenantId), `4711: its consent ${one} is missing`);
});

test("after an erasure the chain is whole, and nothing of the person is left in it", async (t) => {
  const { api, ctx, tenantId, client, organizationId } = await chained(t, 3);
  // Not linked yet when it is erased.
  await api.put(`/v1/consents/${encodeURIComponent(phoneOf(0))}`, {
    basis: "express",
    source: "canary source",
    proof: "canary proof",
  });
  const id = await contactIdOf(api, organizationId, phoneOf(0));
  assert.equal((await api.delete(`/v1/contacts/leads/${id}`)).status, 200);
  while (await chainRecords(ctx));

  const verdict = await verifyAuditLog(ctx, tenantId, []);
  assert.equal(verdict.fault, undefined);
  const kept = await client.query(
    "select event, basis, channel from chain_erased_consents where tenant_id = $1 order by id",
    [tenantId],
  );
  assert.deepEqual(kept.rows, [
    { event: "granted", basis: "express_written", channel: "any" },
    { event: "granted", basis: "express", channel: "any" },
  ]);
  const erasures = await client.query("select consents from chain_erasures where tenant_id = $1", [tenantId]);
  assert.deepEqual(erasures.rows, [{ consents: 2 }]);
  const all = await client.query(
    "select (select json_agg(e)::text from chain_erased_consents e) || (select json_agg(e)::text from chain_erasures e) as text",
  );
  assert.ok(!/canary|12125550000|web_form/.test(all.rows[0].text));

  await client.query("update chain_erased_consents set basis = 'none' where basis = 'express'");
  assert.match((await faultOf(ctx, tenantId)) ?? "", /^\d+: its consent .* was changed$/);
});

test("who needs everything linked waits for another that is linking; a worker leaves it to that one", async (t) => {
  const { ctx, tenantId, client } = await chained(t, 1);
  const link = (waits: boolean) => ctx.db.transaction((tx) => chain.link(tx, tenantId, ctx.now(), { waits }));
  await client.query(
    "insert into chain_waiting (tenant_id, kind, ref, digest) values ($1, 'audit', gen_random_uuid(), '\\x00')",
    [tenantId],
  );
  const left = async () => (await client.query("select from chain_waiting where tenant_id = $1", [tenantId])).rowCount;
  await client.query("begin");
  await client.query("select from chain_heads where tenant_id = $1 for update", [tenantId]);
  assert.equal(await link(false), false);
  assert.equal(await left(), 1);
  const waiting = link(true);
  await until("it waits for the head", async () => (await waitingForLocks(client)) > 0);
  await client.query("commit");
  await waiting;
  assert.equal(await left(), 0);
});
