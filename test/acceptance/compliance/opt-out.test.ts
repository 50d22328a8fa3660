import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import {
  campaignOf,
  gets,
  moveClock,
  quiet,
  says,
  textsTo,
  threadOf,
  traffic,
} from "#test/support/messaging/handset.ts";

const CONFIRMATION = /^You are unsubscribed from Acme/;

test("opting out", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  let n = 0;
  const phone = () => `+1212450${1000 + n++}`;
  const drip_schedule = [{ day: 1, message: "Still there?" }];
  const begun = async (at: string, agent: object = {}) => {
    const { length } = await textsTo(api, at);
    const { campaignId } = await aCampaign(api, {
      contacts: [{ phone_number: at, first_name: "Ann" }],
      agent: { drip_schedule, reply_delay_ms: 0, ...agent },
    });
    await gets(api, at, length + 1);
    return campaignId;
  };
  const isOut = async (at: string, campaignId: string) => {
    await until(`${at} has opted out`, async () => (await threadOf(api, at, campaignId)).state === "opted_out");
    // Once more: a thread's messages are read before its state, and may be older.
    return threadOf(api, at, campaignId);
  };

  const words = [
    ..."STOP stop Stop. STOPALL UNSUBSCRIBE CANCEL END QUIT REVOKE OPTOUT REMOVE ARRET ALTO PARAR".split(" "),
    "opt out",
    "  STOP!  ",
    "ＳＴＯＰ",
  ];
  for (const word of words) {
    await t.test(`"${word}" opts out at once, with one confirmation and no drip`, async () => {
      const at = phone();
      const campaignId = await begun(at);
      await says(api, at, word);
      const thread = await isOut(at, campaignId);
      assert.equal(thread.reason, "keyword");
      const [, confirmation] = await gets(api, at, 2);
      assert.match(confirmation!, CONFIRMATION);
      const drip = thread.messages.find((message: { kind: string }) => message.kind === "drip");
      assert.deepEqual([drip.state, drip.reason], ["suppressed", "opted_out"]);
    });
  }

  for (const sentence of [
    "please stop texting me",
    "Take me off your list",
    "no mas mensajes por favor",
    "Don't text me again",
  ]) {
    await t.test(`"${sentence}" opts out too, and the words are kept`, async () => {
      const at = phone();
      const campaignId = await begun(at);
      await says(api, at, sentence);
      const thread = await isOut(at, campaignId);
      assert.equal(thread.reason, "free_text");
      assert.match((await gets(api, at, 2))[1]!, CONFIRMATION);
      assert.equal(thread.messages.find((message: { kind: string }) => message.kind === "inbound").text, sentence);
    });
  }

  for (const sentence of [
    "You are charging me twice, stop sending me duplicate charges",
    "When does the offer end?",
    "YES",
  ]) {
    await t.test(`"${sentence}" is no opt-out, and is answered`, async () => {
      const at = phone();
      const campaignId = await begun(at);
      await says(api, at, sentence);
      const [, answer] = await gets(api, at, 2);
      assert.doesNotMatch(answer!, CONFIRMATION);
      assert.notEqual((await threadOf(api, at, campaignId)).state, "opted_out");
    });
  }

  await t.test("a second STOP is not confirmed again, and nobody answers what comes after", async () => {
    const at = phone();
    const campaignId = await begun(at);
    await says(api, at, "STOP");
    await gets(api, at, 2);
    await says(api, at, "STOP");
    await says(api, at, "hello? are you there?");
    await quiet(api);
    assert.equal((await textsTo(api, at)).length, 2);
    assert.equal((await threadOf(api, at, campaignId)).state, "opted_out");
    const refused = await api.post(`/v1/sms/threads/${encodeURIComponent(at)}_${campaignId}/messages`, { text: "Hi" });
    assert.equal(refused.status, 409);
  });

  await t.test("an opt-out spans the campaigns of the tenant, running ones and new ones", async () => {
    const at = phone();
    const first = await begun(at);
    const second = await begun(at);
    await says(api, at, "STOP");
    await isOut(at, first);
    await isOut(at, second);
    const { campaignId: later } = await aCampaign(api, { contacts: [{ phone_number: at }] });
    await isOut(at, later);
    await quiet(api);
    const texts = (await textsTo(api, at)).map((text) => text.text);
    assert.equal(texts.filter((text) => CONFIRMATION.test(text)).length, 1);
    assert.equal(texts.length, 3);
    assert.equal((await campaignOf(api, later)).counts.opted_out, 1);
    const message = (await threadOf(api, at, later)).messages[0];
    assert.deepEqual([message.state, message.rule], ["suppressed", "opted_out"]);
  });

  await t.test("a STOP to one of the tenant's numbers holds for all of them", async () => {
    const at = phone();
    const first = await begun(at);
    const second = "+12125550101";
    const { campaignId } = await aCampaign(api, {
      contacts: [{ phone_number: at }],
      campaign: { svc_sms_number: second },
    });
    await gets(api, at, 2);
    await says(api, at, "STOP", second);
    await isOut(at, campaignId);
    await isOut(at, first);
    const [, , confirmation] = await gets(api, at, 3);
    assert.match(confirmation!, CONFIRMATION);
  });

  await t.test("START subscribes again, with a confirmation", async () => {
    const at = phone();
    const campaignId = await begun(at);
    await says(api, at, "STOP");
    await isOut(at, campaignId);
    await gets(api, at, 2);
    await says(api, at, "START");
    const [, , welcome] = await gets(api, at, 3);
    assert.match(welcome!, /^You are subscribed to messages from Acme again/);
    const later = await aCampaign(api, { contacts: [{ phone_number: at }] });
    await gets(api, at, 4);
    assert.notEqual((await threadOf(api, at, later.campaignId)).state, "opted_out");
  });

  await t.test("after START the conversation goes on: a question is answered, and a person can write", async () => {
    const at = phone();
    const campaignId = await begun(at);
    await says(api, at, "STOP");
    assert.equal((await isOut(at, campaignId)).opted_out, true);
    await says(api, at, "START");
    await gets(api, at, 3);
    assert.equal((await threadOf(api, at, campaignId)).opted_out, false);
    await says(api, at, "Who is this?");
    assert.match((await gets(api, at, 4))[3]!, /Ava/);
    const path = `/v1/sms/threads/${encodeURIComponent(at)}_${campaignId}/messages`;
    assert.equal((await api.post(path, { text: "Uma here, welcome back." })).status, 202);
    assert.equal((await gets(api, at, 5))[4], "Uma here, welcome back.");
    await says(api, at, "Thanks, and when can I come?");
    const { organization_id } = await campaignOf(api, campaignId);
    const needs = await until("a person is needed", async () => {
      const query = new URLSearchParams({ organization_id, phone_number: at, attention: "needs_person" });
      const { body } = await api.get(`/v1/sms/threads?${query}`);
      return body.threads.length === 1 && body.threads[0];
    });
    assert.equal(needs.state, "opted_out", "what the recipient once was stays");
  });

  await t.test("YES inside a conversation does not subscribe again", async () => {
    const at = phone();
    const campaignId = await begun(at);
    await says(api, at, "STOP");
    await isOut(at, campaignId);
    await says(api, at, "YES");
    await quiet(api);
    const later = await aCampaign(api, { contacts: [{ phone_number: at }] });
    await isOut(at, later.campaignId);
    assert.equal((await textsTo(api, at)).length, 2);
  });

  await t.test("an older START that comes late does not undo a newer STOP", async () => {
    const at = phone();
    const campaignId = await begun(at);
    const wasBefore = new Date((await moveClock(api, { advance_ms: 60_000 })).getTime() - 30_000);
    await says(api, at, "STOP");
    await isOut(at, campaignId);
    await arrivesLate(api.databaseUrl, at, "START", wasBefore);
    await quiet(api);
    assert.equal((await textsTo(api, at)).length, 2);
    const later = await aCampaign(api, { contacts: [{ phone_number: at }] });
    await isOut(at, later.campaignId);
  });

  await t.test("HELP between the texts of a burst does not drop the answer to the burst", async () => {
    const at = phone();
    await begun(at, { reply_delay_ms: 60_000 });
    await says(api, at, "Who is this?");
    await says(api, at, "HELP");
    assert.match((await gets(api, at, 2))[1]!, /^Acme: /);
    await quiet(api);
    await moveClock(api, { advance_ms: 61_000 });
    assert.match((await gets(api, at, 3))[2]!, /Ava/);
    await quiet(api);
    assert.equal((await textsTo(api, at)).length, 3);
  });

  await t.test("HELP is answered with who this is and how to stop, and does not opt out", async () => {
    const at = phone();
    const campaignId = await begun(at);
    await says(api, at, "HELP");
    const [, help] = await gets(api, at, 2);
    assert.match(help!, /^Acme: .*Reply STOP to stop/);
    assert.notEqual((await threadOf(api, at, campaignId)).state, "opted_out");
    await says(api, at, "INFO");
    await gets(api, at, 3);
  });

  await t.test("a number on the do-not-call list is not texted, with the rule", async () => {
    const at = phone();
    await api.post("/v1/dnc/add", { phone_number: at });
    const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: at }] });
    const { messages, state } = await until("the text is suppressed", async () => {
      const thread = await threadOf(api, at, campaignId);
      return thread.messages[0].state === "suppressed" && thread;
    });
    assert.deepEqual([messages[0].rule, state], ["do_not_call", "skipped"]);
    assert.deepEqual(await textsTo(api, at), []);
  });

  await t.test("a number that is listed while its campaign runs gets no drip", async () => {
    const at = phone();
    const campaignId = await begun(at);
    await api.post("/v1/dnc/add", { phone_number: at });
    await aNoon(api);
    await aNoon(api);
    await quiet(api);
    assert.equal((await textsTo(api, at)).length, 1);
    const drip = (await threadOf(api, at, campaignId)).messages.find(
      (message: { kind: string }) => message.kind === "drip",
    );
    assert.equal(drip.state, "suppressed");
  });

  await t.test("by the carrier's own count, nothing was sent after an opt-out, and nothing twice", async () => {
    const { after_opt_out, duplicates } = await traffic(api);
    assert.deepEqual([after_opt_out, duplicates], [0, 0]);
  });
});

/** The carrier brings a text now that was written earlier. */
async function arrivesLate(databaseUrl: string, handset: string, text: string, writtenAt: Date): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(
    `insert into simulator_texts (tenant_id, handset, number, direction, text, at, owed, owed_at)
     select id, $1, $2, 'from_handset', $3, $4, 'inbound', now() + clock_offset_ms * interval '1 millisecond' from tenants where mode = 'test'`,
    [handset, SENDER, text, writtenAt],
  );
  await client.end();
}
