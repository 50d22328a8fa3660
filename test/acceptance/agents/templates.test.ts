import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { campaignOf, gets, moveClock, quiet, textsTo, threadOf } from "#test/support/messaging/handset.ts";

test("templates", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  let n = 0;
  const phone = () => `+1212449${1000 + n++}`;
  const start = (starting_message: string, contact: Record<string, unknown>, agent: object = {}) =>
    aCampaign(api, { contacts: [contact], agent: { starting_message, ...agent } });
  const startOf = async (at: string, campaignId: string) => (await threadOf(api, at, campaignId)).messages[0];

  await t.test("any stored field is a variable, whatever its type", async () => {
    const at = phone();
    const message =
      "{{first_name}} {{ last_name }}, {{company_name}} in {{city}}: {{loan_type}}, {{opportunity_value}}, {{vip}}, {{phone_number}}";
    await start(message, {
      phone_number: at,
      first_name: "Ann",
      last_name: "Lee",
      company_name: "Acme & Co",
      city: "Reno",
      loan_type: "FHA",
      opportunity_value: 1200.5,
      vip: true,
    });
    assert.deepEqual(await gets(api, at, 1), [`Ann Lee, Acme & Co in Reno: FHA, 1200.5, true, ${at}`]);
  });

  await t.test("a missing or blank variable suppresses the text with the reason", async () => {
    for (const contact of [{}, { first_name: "" }, { first_name: "   " }, { first_name: null }]) {
      const at = phone();
      const { campaignId } = await start("Hi {{first_name}}", { phone_number: at, ...contact });
      const message = await until("the text is suppressed", async () => {
        const found = await startOf(at, campaignId);
        return found.state === "suppressed" && found;
      });
      assert.deepEqual([message.rule, message.reason], ["missing_variable", "missing_variable: first_name"]);
      const { body } = await api.get(`/v1/campaigns/${campaignId}/leads`);
      assert.deepEqual([body.leads[0].state, body.leads[0].reason], ["skipped", "missing_variable: first_name"]);
      assert.deepEqual(await textsTo(api, at), []);
    }
  });

  await t.test(
    "a fallback stands in for a field that is missing or empty, in starting messages and drips",
    async () => {
      const texts = {
        starting_message: "Hi {{ first_name | friend }}, is {{city|your area}} still on your mind{{budget|}}?",
        drip_schedule: [{ day: 1, message: "Any news from {{city|your area}}?" }],
      };
      const [without, blank, known] = [phone(), phone(), phone()];
      const contacts = [
        { phone_number: without },
        { phone_number: blank, first_name: " ", city: "" },
        { phone_number: known, first_name: "Ann", city: "Reno" },
      ];
      const { organizationId, userId, agentId, campaignId } = await aCampaign(api, { contacts, agent: texts });
      const start = "Hi friend, is your area still on your mind?";
      const drip = "Any news from your area?";
      const own = ["Hi Ann, is Reno still on your mind?", "Any news from Reno?"];
      const got = (n: number) => Promise.all([without, blank, known].map((at) => gets(api, at, n)));
      assert.deepEqual(await got(1), [[start], [start], [own[0]]]);
      await aNoon(api);
      await aNoon(api);
      assert.deepEqual(await got(2), [[start, drip], [start, drip], own]);
      assert.equal((await campaignOf(api, campaignId)).counts.skipped ?? 0, 0);

      const preflight = await api.post("/v1/campaigns/preflight", {
        campaign_name: "Again",
        organization_id: organizationId,
        user_id: userId,
        sms_agent_id: agentId,
        svc_sms_number: SENDER,
        contacts: [{ phone_number: phone() }],
      });
      const { skips, missing_variables, samples } = preflight.body.preflight;
      assert.deepEqual([skips, missing_variables], [{}, {}]);
      assert.equal(samples[0].text, start);
      const contact = { phone_number: without };
      const shown = await api.post("/v1/playground/preview", { agent_id: agentId, contact });
      assert.deepEqual(
        shown.body.preview.texts.map((shown: { text: string }) => shown.text),
        [start, drip],
      );
    },
  );

  await t.test("a wrong fallback is a 400 that names the text", async () => {
    const { organizationId, userId } = await aCampaign(api, { contacts: [{ phone_number: phone() }] });
    for (const fallback of ["a".repeat(101), "a|b", "a\nb", "{a}"]) {
      const answer = await api.post("/v1/agents", {
        agent_type: "sms",
        agent_name: "Ava",
        prompt: "Ask.",
        organization_id: organizationId,
        user_id: userId,
        starting_message: `Hi {{first_name|${fallback}}}`,
        drip_schedule: [{ day: 1, message: `Hi {{first_name|${fallback}}}` }],
      });
      assert.equal(answer.status, 400);
      assert.deepEqual(wrongFields(answer), ["starting_message", "drip_schedule[0].message"]);
    }
  });

  await t.test("one contact without the field holds up nobody else", async () => {
    const [one, two] = [phone(), phone()];
    const { campaignId } = await aCampaign(api, {
      contacts: [{ phone_number: one }, { phone_number: two, first_name: "Bo" }],
      agent: { starting_message: "Hi {{first_name}}" },
    });
    assert.deepEqual(await gets(api, two, 1), ["Hi Bo"]);
    await quiet(api);
    const { counts } = await campaignOf(api, campaignId);
    assert.deepEqual([counts.skipped, counts.delivered], [1, 1]);
  });

  await t.test("a value is never expanded again, and no brace leaves", async () => {
    const at = phone();
    await start("Hi {{first_name}}", { phone_number: at, first_name: "{{notes}}", notes: "secret" });
    const [text] = await gets(api, at, 1);
    assert.equal(text, "Hi ((notes))");
  });

  await t.test("a name of an object's own is no variable", async () => {
    for (const name of ["constructor", "toString", "hasOwnProperty"]) {
      const at = phone();
      const { campaignId } = await start(`Hi {{${name}}}`, { phone_number: at });
      await quiet(api);
      assert.equal((await startOf(at, campaignId)).rule, "missing_variable", name);
    }
  });

  await t.test("a text of more than ten segments is suppressed with the reason", async () => {
    const at = phone();
    const { campaignId } = await start("{{notes}}", { phone_number: at, notes: "long ".repeat(500) });
    await quiet(api);
    const { state, rule } = await startOf(at, campaignId);
    assert.deepEqual([state, rule], ["suppressed", "too_long"]);
    assert.deepEqual(await textsTo(api, at), []);
  });

  await t.test("segments are counted as carriers count them", async () => {
    for (const [text, segments] of [
      ["a".repeat(160), 1],
      ["a".repeat(161), 2],
      ["🎉".repeat(35), 1],
      ["🎉".repeat(36), 2],
    ] as const) {
      const at = phone();
      const { campaignId } = await start("{{notes}}", { phone_number: at, notes: text });
      assert.deepEqual(await gets(api, at, 1), [text]);
      assert.equal((await startOf(at, campaignId)).segments, segments);
    }
  });

  await t.test("a drip is worded when it leaves, with the fields of that day", async () => {
    const at = phone();
    const { campaignId } = await start(
      "Hi",
      { phone_number: at, city: "Reno" },
      {
        drip_schedule: [
          { day: 1, message: "How is {{city}}?" },
          { day: 3, message: "Any news on the {{loan_type}} loan?" },
        ],
      },
    );
    await gets(api, at, 1);
    const { lead_id } = await threadOf(api, at, campaignId);
    assert.equal((await api.patch(`/v1/contacts/leads/${lead_id}`, { city: "Elko" })).status, 200);
    await aNoon(api);
    await aNoon(api);
    assert.equal((await gets(api, at, 2))[1], "How is Elko?");
    await moveClock(api, { advance_ms: 2 * 86_400_000 });
    await aNoon(api);
    await quiet(api);
    const drip = (await threadOf(api, at, campaignId)).messages[2];
    assert.deepEqual([drip.state, drip.reason], ["suppressed", "missing_variable: loan_type"]);
  });
});
