import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import {
  campaignIs,
  campaignOf,
  gets,
  moveClock,
  quiet,
  textsTo,
  threadOf,
  traffic,
} from "#test/support/messaging/handset.ts";

test("adding leads to an SMS campaign", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  let n = 0;
  const phone = () => `+1212445${1000 + n++}`;
  const first = phone();
  const { campaignId } = await aCampaign(api, {
    contacts: [{ phone_number: first, first_name: "Ann" }],
    agent: {
      starting_message: "Hi {{first_name}}",
      drip_schedule: [
        { day: 1, message: "Day one, {{first_name}}" },
        { day: 3, message: "Day three, {{loan_type}}" },
      ],
    },
  });
  const add = (clients: unknown, id = campaignId) => api.post(`/v1/campaigns/${id}/leads`, { clients });

  await t.test("rule 1: the campaign must exist and not be deleted", async () => {
    const unknown = await add([{ phone_number: phone() }], "no-such-campaign");
    assert.deepEqual([unknown.status, unknown.body.error], [404, "Campaign not found"]);
    const gone = await aCampaign(api, { contacts: [{ phone_number: phone() }] });
    assert.equal((await api.delete(`/v1/campaigns/${gone.campaignId}`)).status, 200);
    assert.equal((await add([{ phone_number: phone() }], gone.campaignId)).status, 404);
  });

  await t.test("new leads are answered with 202 and their counts", async () => {
    const { status, body } = await add([{ phone_number: phone(), first_name: "Bo", loan_type: "FHA" }]);
    assert.equal(status, 202);
    assert.deepEqual(body, {
      success: true,
      message: "1 lead added",
      campaign_id: campaignId,
      details: { leads_added: 1, leads_skipped: 0, drips_scheduled: 2 },
      left_out: [],
      powered_by: "Parley",
    });
  });

  await t.test("rule 2: a number that is in the campaign is skipped and counted", async () => {
    const fresh = phone();
    const { body } = await add([{ phone_number: first }, { phone_number: fresh, first_name: "Cy" }]);
    assert.deepEqual(body.details, { leads_added: 1, leads_skipped: 1, drips_scheduled: 2 });
    const again = await add([{ phone_number: fresh }, { phone_number: fresh }]);
    assert.deepEqual(again.body.details, { leads_added: 0, leads_skipped: 2, drips_scheduled: 0 });
    await gets(api, fresh, 1);
    await quiet(api);
    assert.equal((await textsTo(api, fresh)).length, 1);
  });

  await t.test("rule 3: a lead without a usable number is skipped and counted", async () => {
    const leads = [{ first_name: "Di" }, { phone_number: "" }, { phone_number: null }, { phone_number: "911" }];
    const { status, body } = await add(leads);
    assert.equal(status, 202);
    assert.deepEqual(body.details, { leads_added: 0, leads_skipped: 4, drips_scheduled: 0 });
    assert.deepEqual((await add([])).body.details, { leads_added: 0, leads_skipped: 0, drips_scheduled: 0 });
  });

  await t.test("leads that are left out are listed with index, value and reason", async () => {
    const fresh = phone();
    const { body } = await add([
      { phone_number: first },
      { phone_number: "12" },
      { phone_number: fresh, first_name: "Di" },
      { phone_number: `${fresh.slice(0, 5)}-${fresh.slice(5)}`, first_name: "Dora" },
    ]);
    assert.deepEqual(body.details, { leads_added: 1, leads_skipped: 3, drips_scheduled: 2 });
    assert.deepEqual(
      body.left_out.map((lead: Record<string, unknown>) => [lead.index, lead.value, lead.reason, lead.duplicate_of]),
      [
        [1, "12", "invalid_number", null],
        [3, fresh, "duplicate", 2],
      ],
    );
    assert.equal((await add([{ phone_number: first }, { phone_number: "12" }])).body.details.leads_skipped, 2);
    const kept = async (query: string) =>
      (await api.get(`/v1/campaigns/${campaignId}/leads?state=invalid&${query}`)).body.leads.map(
        (lead: Record<string, unknown>) => [lead.index, lead.phone_number, lead.reason],
      );
    const duplicate = [3, fresh, "duplicate"];
    assert.deepEqual((await kept("reason=duplicate"))[0], duplicate, "newest first");
    assert.deepEqual(await kept(`phone_number=${encodeURIComponent(fresh)}`), [duplicate]);
    const all = (await kept("limit=500")).filter(([, number]: unknown[]) => number === "12");
    assert.deepEqual(all, [[1, "12", "invalid_number"]], "the same lead again is kept once");
    assert.match(body.left_out[1].error, /^has the number of clients\[2\]$/);
    assert.deepEqual(await gets(api, fresh, 1), ["Hi Di"]);
  });

  await t.test("rule 4: numbers are normalized to E.164", async () => {
    const { body } = await add([
      { phone_number: "(212) 445-8001", first_name: "Ed" },
      { phone_number: "212.445.8001", first_name: "Ed" },
      { phone_number: "1-212-445-8001", first_name: "Ed" },
    ]);
    assert.deepEqual(body.details, { leads_added: 1, leads_skipped: 2, drips_scheduled: 2 });
    assert.deepEqual(await gets(api, "+12124458001", 1), ["Hi Ed"]);
  });

  await t.test("rule 5: new leads get the starting message, with all their fields stored", async () => {
    const at = phone();
    const fields = {
      first_name: "Flo",
      last_name: "Ray",
      email: "flo@example.com",
      city: "Albany",
      state: "NY",
      company_name: "Acme",
      lead_source: "web",
      external_id: "X-1",
      notes: "Met in May",
      loan_type: "VA",
      opportunity_value: 1200.5,
      npn: "123",
      owns_home: true,
    };
    assert.equal((await add([{ phone_number: at, ...fields }])).status, 202);
    assert.deepEqual(await gets(api, at, 1), ["Hi Flo"]);
    const { body } = await api.get(`/v1/campaigns/${campaignId}/leads?limit=1`);
    const lead = await api.get(`/v1/contacts/leads/${body.leads[0].unique_id}`);
    const { state, contact_state } = body.leads[0];
    assert.equal(contact_state, "NY", `beside the recipient's own: ${state}`);
    for (const [name, value] of Object.entries(fields)) assert.equal(lead.body.lead[name], value, name);
  });

  await t.test("rule 6: drips are scheduled for new leads, and arrive on their days", async () => {
    const at = phone();
    await add([{ phone_number: at, first_name: "Gus", loan_type: "FHA" }]);
    await gets(api, at, 1);
    const planned = (await threadOf(api, at, campaignId)).messages;
    assert.deepEqual(
      planned.map((message: { kind: string }) => message.kind),
      ["start", "drip", "drip"],
    );
    const days = planned.slice(1).map((message: { scheduled_for: string }) => message.scheduled_for);
    assert.equal(Date.parse(days[1]) - Date.parse(days[0]), 2 * 86_400_000);
    await aNoon(api);
    await aNoon(api);
    assert.deepEqual((await gets(api, at, 2)).slice(0, 2), ["Hi Gus", "Day one, Gus"]);
  });

  await t.test("rule 7: the call may be repeated, also at the same time", async () => {
    const leads = Array.from({ length: 40 }, () => ({ phone_number: phone(), first_name: "Hal" }));
    const answers = await Promise.all([add(leads), add(leads.toReversed()), add(leads)]);
    const added = answers.map((answer) => answer.body.details.leads_added as number);
    assert.equal(
      added.reduce((sum, count) => sum + count, 0),
      40,
    );
    assert.equal((await add(leads)).body.details.leads_added, 0);
    await quiet(api);
    assert.equal((await traffic(api, campaignId)).duplicates, 0);
  });

  await t.test("clients are required, an array, and objects of scalars", async () => {
    const path = `/v1/campaigns/${campaignId}/leads`;
    assert.deepEqual(wrongFields(await api.post(path, {})), ["clients"]);
    assert.deepEqual(wrongFields(await add("all")), ["clients"]);
    assert.deepEqual(wrongFields(await add([7, { phone_number: phone(), notes: 5 }])), [
      "clients[0]",
      "clients[1].notes",
    ]);
    assert.deepEqual(wrongFields(await api.post(path, [])), ["body"]);
  });

  await t.test("100,001 leads are a 413 that says how many are allowed", async () => {
    const { status, body } = await add(Array.from({ length: 100_001 }, () => ({})));
    assert.deepEqual([status, body.code], [413, "payload_too_large"]);
    assert.match(body.error, /100000/);
  });

  await t.test("a completed campaign is active again with new leads, and completes again", async () => {
    const setup = await aCampaign(api, { contacts: [{ phone_number: phone() }] });
    await campaignIs(api, setup.campaignId, "completed");
    // In Hawaii it is 8 in the morning: held for an hour, so that the campaign is seen active.
    await aNoon(api);
    const { body } = await add([{ phone_number: "+18085550150" }, { phone_number: phone() }], setup.campaignId);
    assert.equal(body.details.leads_added, 2);
    const { status, details, completed_at } = await campaignOf(api, setup.campaignId);
    assert.deepEqual([status, details.total_contacts, completed_at], ["active", 3, null]);
    await moveClock(api, { advance_ms: 4 * 60 * 60_000 });
    const done = await campaignIs(api, setup.campaignId, "completed");
    assert.equal(done.counts.delivered, 3);
  });
});
