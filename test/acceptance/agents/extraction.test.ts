import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { gets, quiet, says } from "#test/support/messaging/handset.ts";

test("extractions", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  let n = 0;
  const phone = () => `+1212455${1000 + n++}`;
  const pathOf = (at: string, campaignId: string) => `/v1/sms/extractions/${encodeURIComponent(at)}_${campaignId}`;
  const fields = ["email", "budget", { name: "interest", type: "enum", choices: ["hot", "cold"] }];
  const begin = (contacts: object[], campaign: Record<string, unknown> = {}) =>
    aCampaign(api, {
      contacts: contacts as Record<string, unknown>[],
      agent: { extraction_fields: fields, reply_delay_ms: 0 },
      campaign,
    });
  const extracted = (
    at: string,
    campaignId: string,
    wanted: (extraction: { extracted_fields: Record<string, string> }) => boolean = () => true,
  ) =>
    until("it is extracted", async () => {
      const { extraction } = (await api.get(pathOf(at, campaignId))).body;
      return extraction && wanted(extraction) && extraction;
    });

  await t.test("a thread without one answers success, null and a message", async () => {
    const at = phone();
    const { campaignId } = await begin([{ phone_number: at }]);
    for (const path of [pathOf(at, campaignId), pathOf("+12125550188", campaignId), pathOf(at, "no-such-campaign")]) {
      const { status, body } = await api.get(path);
      assert.deepEqual([status, body.success, body.extraction], [200, true, null], path);
      assert.equal(typeof body.message, "string");
    }
  });

  await t.test("after a turn it has all the documented fields, with evidence", async () => {
    const at = phone();
    const { campaignId } = await begin([{ phone_number: at }]);
    await gets(api, at, 1);
    await says(api, at, "Sure, my email is ann@example.com and my budget is 350k");
    const found = await extracted(at, campaignId, (extraction) => extraction.extracted_fields.email !== undefined);
    const { extracted_fields, evidence, extracted_at, lead_outcome, objective_met, ...rest } = found;
    assert.deepEqual(rest, {
      thread_id: `${at}_${campaignId}`,
      phone_number: at,
      do_not_message: false,
      call_transferred: false,
      call_scheduled: false,
      call_scheduled_time: null,
      campaign_id: campaignId,
    });
    assert.equal(extracted_fields.email, "ann@example.com");
    for (const value of Object.values(extracted_fields)) assert.equal(typeof value, "string");
    for (const name of Object.keys(extracted_fields)) assert.ok(["email", "budget", "interest"].includes(name), name);
    assert.match(evidence.email.message_id, /^msg_/);
    assert.match(evidence.email.quote, /ann@example\.com/);
    assert.match(extracted_at, /^\d{4}-.*\.\d{3}Z$/);
    assert.deepEqual([typeof lead_outcome, typeof objective_met], ["string", "boolean"]);
  });

  await t.test("an opted-out contact is reported as do_not_message when the extraction is run again", async () => {
    const at = phone();
    const { campaignId } = await begin([{ phone_number: at }]);
    await gets(api, at, 1);
    await says(api, at, "My email is bo@example.com");
    await extracted(at, campaignId);
    // An answer that has not left yet is withdrawn by the STOP.
    await gets(api, at, 2);
    await says(api, at, "STOP");
    await gets(api, at, 3);
    await quiet(api);
    const { status, body } = await api.post(`${pathOf(at, campaignId)}/rerun`);
    assert.equal(status, 200);
    assert.deepEqual(
      [body.extraction.do_not_message, body.extraction.extracted_fields.email],
      [true, "bo@example.com"],
    );
    assert.deepEqual((await api.get(pathOf(at, campaignId))).body.extraction, body.extraction);
    assert.equal((await api.post(`${pathOf("+12125550188", campaignId)}/rerun`)).status, 404);
  });

  await t.test("a thread_id is split at its first underscore", async () => {
    const at = phone();
    const campaign_id = `a_b_c${n}`;
    await begin([{ phone_number: at }], { campaign_id });
    await gets(api, at, 1);
    await says(api, at, "My email is cy@example.com");
    assert.equal((await extracted(at, campaign_id)).thread_id, `${at}_${campaign_id}`);
  });

  await t.test("a thread_id of another form is a 400", async () => {
    for (const wrong of ["nonsense", "_x", "%2B12125550101_", "%2B12125550101", "2125550101_x", "%2012125550101_x"]) {
      const answer = await api.get(`/v1/sms/extractions/${wrong}`);
      assert.deepEqual([answer.status, wrongFields(answer)], [400, ["thread_id"]], wrong);
    }
  });

  await t.test("a campaign's extractions are listed in pages", async () => {
    const phones = [phone(), phone(), phone()];
    const { campaignId } = await begin(phones.map((phone) => ({ phone_number: phone })));
    for (const [i, at] of phones.entries()) {
      await gets(api, at, 1);
      await says(api, at, `My email is n${i}@example.com`);
    }
    for (const at of phones) await extracted(at, campaignId);
    await quiet(api);
    const list = async (query = "") => (await api.get(`/v1/sms/extractions?campaign_id=${campaignId}${query}`)).body;
    const first = await list("&limit=2");
    assert.deepEqual([first.count, first.has_more], [2, true]);
    const second = await list(`&limit=2&pagination_key=${first.next_pagination_key}`);
    assert.deepEqual([second.count, second.has_more, second.next_pagination_key], [1, false, null]);
    const all = [...first.extractions, ...second.extractions];
    assert.deepEqual(all.map((extraction) => extraction.phone_number).sort(), phones);
    assert.deepEqual(all[0], (await api.get(pathOf(all[0].phone_number, campaignId))).body.extraction);
    assert.deepEqual(wrongFields(await api.get("/v1/sms/extractions")), ["campaign_id"]);
    assert.equal((await api.get("/v1/sms/extractions?campaign_id=nothing")).status, 404);
  });
});
