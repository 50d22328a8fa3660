import assert from "node:assert/strict";
import { test } from "node:test";
import { screeningCommand } from "#app/command/screening-command.ts";
import { wire } from "#app/context.ts";
import { type Parley, startParley } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { moveClock } from "#test/support/messaging/handset.ts";

const HOUR_MS = 3_600_000;
type Fields = Record<string, unknown>;

const whatIf = async (api: Pick<Parley, "post">, question: Fields) => {
  const { status, body } = await api.post("/v1/contactability/what-if", question);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

test("what would be at another time, with another consent or profile: by which rule, of how many, and nothing is written", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const noon = await aNoon(api);
  const phone = "+12124510051";
  const night = new Date(noon.getTime() + 14 * HOUR_MS).toISOString();
  const made = await aCampaign(api, {
    contacts: [{ phone_number: phone }, { phone_number: "+12124510052" }, { phone_number: "+13105550053" }],
    campaign: { campaign_begin_time: new Date(noon.getTime() + 20 * HOUR_MS).toISOString() },
  });
  const one = (await whatIf(api, { phone_number: phone })).decisions;
  assert.deepEqual([one[0].decision, one[0].rule, one[0].contacts_count], ["allowed", null, 1]);
  const held = await whatIf(api, { phone_number: phone, at: night });
  assert.deepEqual([held.at, held.decisions[0].decision, held.decisions[0].rule.id], [night, "held", "us_hours"]);
  const out = (await whatIf(api, { phone_number: phone, opted_out: true })).decisions[0];
  assert.deepEqual([out.decision, out.rule.id, out.next_at], ["blocked", "opted_out", null]);

  await api.post("/v1/dnc/add", { phone_number: "+12124510052", organization_id: made.organizationId });
  const all = await whatIf(api, { campaign_id: made.campaignId, at: night });
  const counts = (body: Fields) =>
    (body.decisions as Fields[]).map((each) => [each.decision, (each.rule as Fields)?.id ?? null, each.contacts_count]);
  assert.deepEqual([all.contacts_count, all.is_complete], [3, true]);
  assert.deepEqual(counts(all), [
    ["held", "campaign_not_begun", 2],
    ["blocked", "do_not_call", 1],
  ]);
  const nobody = await whatIf(api, { campaign_id: made.campaignId, opted_out: true });
  assert.deepEqual(counts(nobody), [["blocked", "opted_out", 3]]);

  assert.deepEqual((await whatIf(api, { campaign_id: made.campaignId, at: night })).decisions, all.decisions);

  // What it foresaw is what the gate says then.
  await moveClock(api, { to: night });
  const then = (await api.get(`/v1/contactability?${new URLSearchParams({ phone_number: phone })}`)).body;
  assert.deepEqual([then.rule.id, then.next_at], ["us_hours", held.decisions[0].next_at]);
});

test("with a required consent it says what a consent would change", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  await aNoon(api);
  const phone = "+12124510054";
  const { ctx, close } = wire(api.config, api.databaseUrl, "cli");
  t.after(close);
  const tenant = (await api.get("/v1/me")).body.tenant_id;
  await screeningCommand(
    (work) => work(ctx),
    () => {},
  )
    .exitOverride()
    .parseAsync(["set", "--tenant", tenant, "--require-consent", "express", "--reason", "marketing"], { from: "user" });
  const before = (await whatIf(api, { phone_number: phone })).decisions[0];
  assert.deepEqual([before.decision, before.rule.id], ["blocked", "consent_missing"]);
  const consent = { basis: "express_written", channel: "sms" };
  assert.equal((await whatIf(api, { phone_number: phone, consent })).decisions[0].decision, "allowed");
  assert.equal(
    (await whatIf(api, { phone_number: phone, consent, channel: "voice" })).decisions[0].decision,
    "blocked",
  );
  assert.equal((await whatIf(api, { phone_number: phone })).decisions[0].decision, "blocked");
});

test("a question that cannot be asked is refused with its field", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  await aNoon(api);
  const phone_number = "+12124510055";
  for (const [question, field] of [
    [{}, "phone_number"],
    [{ phone_number: "12" }, "phone_number"],
    [{ phone_number, at: "tomorrow" }, "at"],
    [{ phone_number, at: "2020-01-01T00:00:00Z" }, "at"],
    [{ phone_number, at: "2099-01-01T00:00:00Z" }, "at"],
    [{ phone_number, consent: { basis: "maybe" } }, "consent.basis"],
    [{ phone_number, profile: "lenient" }, "profile"],
    [{ campaign_id: "any", channel: "voice" }, "channel"],
  ] as const) {
    const { status, body } = await api.post("/v1/contactability/what-if", question);
    assert.deepEqual([status, body.details?.[0].field], [400, field], JSON.stringify(body));
  }
  assert.equal((await api.post("/v1/contactability/what-if", { campaign_id: "none" })).status, 404);
});
