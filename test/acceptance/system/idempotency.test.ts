import assert from "node:assert/strict";
import { test } from "node:test";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { campaignIs, traffic } from "#test/support/messaging/handset.ts";

test("Idempotency-Key", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const under = (key: string) => ({ headers: { "idempotency-key": key } });
  const named = async (name: string) =>
    (await api.get(`/v1/organizations?name=${encodeURIComponent(name)}`)).body.organizations.length;

  await t.test("a repeat has the first status and body, and does nothing new", async () => {
    const first = await api.post("/v1/organizations", { name: "Once" }, under("k1"));
    const again = await api.post("/v1/organizations", { name: "Once" }, under("k1"));
    assert.deepEqual([again.status, again.body], [201, first.body]);
    assert.equal(first.headers.get("idempotent-replayed"), null);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.equal(await named("Once"), 1);
  });

  await t.test("an error is repeated as it was", async () => {
    const first = await api.post("/v1/campaigns/nothing/pause", undefined, under("k2"));
    const again = await api.post("/v1/campaigns/nothing/pause", undefined, under("k2"));
    assert.equal(first.status, 404);
    assert.deepEqual([again.status, again.body], [404, first.body]);
  });

  await t.test("another body under the same key is a 422", async () => {
    await api.post("/v1/organizations", { name: "One" }, under("k3"));
    const { status, body } = await api.post("/v1/organizations", { name: "Two" }, under("k3"));
    assert.deepEqual([status, body.code], [422, "idempotency_key_reused"]);
    assert.equal(await named("Two"), 0);
  });

  await t.test("the key counts per path and per tenant", async () => {
    const owner = await anAgent(api);
    const email = "kay@acme.example";
    const user = { name: "Kay", email };
    await api.post("/v1/organizations", { name: "Paths" }, under("k4"));
    assert.equal((await api.post(`/v1/organizations/${owner.organizationId}/users`, user, under("k4"))).status, 201);
    const other = await anotherTenant(api);
    const theirs = await other.post("/v1/organizations", { name: "Theirs" }, under("k4"));
    assert.deepEqual([theirs.status, theirs.body.organization_name], [201, "Theirs"]);
  });

  await t.test("repeats at the same time make one thing; those that come too early are a 409", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.post("/v1/organizations", { name: "Raced" }, under("k5"))),
    );
    const made = answers.filter((answer) => answer.status === 201);
    assert.ok(made.length >= 1);
    assert.equal(new Set(made.map((answer) => answer.body.unique_id)).size, 1);
    for (const answer of answers.filter((each) => each.status !== 201)) {
      assert.deepEqual([answer.status, answer.body.code], [409, "request_in_progress"]);
    }
    assert.equal(await named("Raced"), 1);
  });

  await t.test("a key is 1 to 255 printable characters", async () => {
    for (const key of ["", "x".repeat(256), "a\tb", "ä"]) {
      const { status, body } = await api.post("/v1/organizations", { name: "Never" }, under(key));
      assert.deepEqual([status, body.code], [400, "idempotency_key_invalid"], JSON.stringify(key));
    }
    assert.equal((await api.post("/v1/organizations", { name: "Long" }, under("x".repeat(255)))).status, 201);
    assert.equal(await named("Never"), 0);
  });

  await t.test("a campaign without an id of its own is made once under a key", async () => {
    const parts = await anAgent(api);
    const body = {
      campaign_name: "Once",
      organization_id: parts.organizationId,
      user_id: parts.userId,
      sms_agent_id: parts.agentId,
      svc_sms_number: SENDER,
      contacts: Array.from({ length: 800 }, (_, i) => ({
        phone_number: `+1212456${1000 + i}`,
        notes: "A note that makes this body one of the large ones, which have a thread of their own.",
      })),
    };
    const first = await api.post("/v1/campaigns", body, under("k6"));
    const again = await api.post("/v1/campaigns", body, under("k6"));
    assert.deepEqual([again.status, again.body], [202, first.body]);
    await campaignIs(api, first.body.campaign_id, "completed");
    const { accepted, duplicates } = await traffic(api);
    assert.deepEqual([accepted, duplicates], [800, 0]);
    const { body: listed } = await api.get(`/v1/campaigns?organization_id=${parts.organizationId}`);
    assert.equal(listed.count, 1);
  });
});
