import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { campaignOf, moveClock, quiet, says, textsTo } from "#test/support/messaging/handset.ts";

/** Its last two digits make the carrier lose the reply to every text. */
const LOSES_REPLIES = "+12125550142";

test("a text whose state the carrier cannot report", async (t) => {
  const api = await startParley(t, { PARLEY_SIMULATOR_REPORTS: "nothing" });
  await aNoon(api);
  const made = await aCampaign(api, { contacts: [{ phone_number: LOSES_REPLIES }, { phone_number: "+12124460001" }] });
  const messages = `/v1/campaigns/${made.campaignId}/messages`;
  const of = async (phone: string) =>
    (await api.get(`${messages}?phone_number=${encodeURIComponent(phone)}`)).body.messages.at(-1);
  const isUnknown = () => until("it is unknown", async () => (await of(LOSES_REPLIES)).state === "unknown");
  const resend = (id: string) => api.post(`${messages}/${id}/resend`);

  await t.test("it is shown as unknown, counted so, and not sent again by itself", async () => {
    await isUnknown();
    await moveClock(api, { advance_ms: 3_600_000 });
    await quiet(api);
    assert.equal((await campaignOf(api, made.campaignId)).counts.unknown, 1);
    assert.equal((await textsTo(api, LOSES_REPLIES)).length, 1);
  });

  await t.test("an operator may send it again, which sends it once more", async () => {
    const { message_id } = await of(LOSES_REPLIES);
    const answers = await Promise.all([resend(message_id), resend(message_id), resend(message_id)]);
    const statuses = answers.map(({ status }) => status);
    assert.ok(
      statuses.includes(202) && statuses.every((status) => status === 202 || status === 409),
      JSON.stringify(statuses),
    );
    await until("it has come twice", async () => (await textsTo(api, LOSES_REPLIES)).length >= 2);
    await isUnknown();
    assert.equal((await textsTo(api, LOSES_REPLIES)).length, 2);
    assert.equal((await campaignOf(api, made.campaignId)).pending_messages, 0);
  });

  await t.test("what has opted out meanwhile is not sent again", async () => {
    await says(api, LOSES_REPLIES, "STOP");
    await until("it has opted out", async () => (await campaignOf(api, made.campaignId)).counts.opted_out === 1);
    const starting = (
      await api.get(`${messages}?phone_number=${encodeURIComponent(LOSES_REPLIES)}`)
    ).body.messages.find((message: { kind: string }) => message.kind === "start");
    const before = (await textsTo(api, LOSES_REPLIES)).length;
    assert.equal((await resend(starting.message_id)).status, 202);
    await until("it is suppressed", async () => {
      const { body } = await api.get(`${messages}?state=suppressed`);
      return body.messages.some((message: { message_id: string }) => message.message_id === starting.message_id);
    });
    const texts = (await textsTo(api, LOSES_REPLIES)).slice(before).map((text) => text.text);
    assert.ok(
      texts.every((text) => text.includes("opted out") || text.includes("unsubscribed") || text.includes("STOP")),
    );
  });

  await t.test("a message that is not unknown, or not there, cannot be resent", async () => {
    const sent = await of("+12124460001");
    const { status, body } = await resend(sent.message_id);
    assert.deepEqual([status, body.code], [409, "conflict"]);
    for (const id of ["msg_00000000000000000000000000", "no-id"]) {
      const missing = await resend(id);
      assert.deepEqual([missing.status, missing.body.error], [404, "Message not found"]);
    }
  });
});
