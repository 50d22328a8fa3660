import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import { NO_ID, parseId } from "#domain/values/id.ts";
import { adoptRecording } from "#operations/calls/adopt-recording.ts";
import { addLeads } from "#operations/campaigns/add-leads.ts";
import { addVoiceLeads } from "#operations/campaigns/add-voice-leads.ts";
import { createCampaign } from "#operations/campaigns/create-campaign.ts";
import { createVoiceCampaign } from "#operations/campaigns/create-voice-campaign.ts";
import { deleteContact } from "#operations/contacts/delete-contact.ts";
import type { Caller, Context } from "#operations/context.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCalling, aLine, aVoiceAgent, drain, phone } from "#test/support/calls/calling.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { tablesWith } from "#test/support/database/tables-with.ts";
import { aCarrier, aSending, drain as drainTexts, withCarrier } from "#test/support/messaging/sending.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const ZOE = "+12125550163";
const MAX = "+12125550164";
const CANARIES = ["Zanzibella", "5550163"];

const bytesOf = (body: object): Uint8Array => Buffer.from(JSON.stringify(body));

/** The context, in which somebody is erased after its first reads, before whatever it writes in a transaction. */
function erasingFirst(ctx: Context, erase: () => Promise<void>): Context {
  let erased: Promise<void> | undefined;
  const transaction: Context["db"]["transaction"] = async (work) => {
    erased ??= erase();
    await erased;
    return ctx.db.transaction(work);
  };
  return { ...ctx, db: { ...ctx.db, transaction } };
}

/** A list of Zoe and Max, and an owner of campaigns for it. */
async function aList(t: TestContext) {
  const api = await startParley(t, {}, ["api"]);
  const client = await openClient(t, api.databaseUrl);
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  const made = await aCampaign(api, { contacts: [{ phone_number: "+12125550199" }] });
  const owner = { organization_id: made.organizationId, user_id: made.userId };
  const contacts = [
    { phone_number: ZOE, first_name: "Zanzibella" },
    { phone_number: MAX, first_name: "Max" },
  ];
  const list = await api.post("/v1/contacts/lists", { ...owner, list_name: "L", contacts });
  const { rows } = await client.query("select id as tenant_id from tenants where mode = 'test'");
  const caller: Caller = {
    tenantId: rows[0].tenant_id,
    accountId: rows[0].tenant_id,
    keyId: ctx.newId(),
    mode: "test",
    scopes: ["write"],
    organizations: undefined,
    newId: ctx.newId,
  };
  const erase = () => deleteContact(ctx, caller, parseId("contact", list.body.leads[0].unique_id)!);
  return { api, ctx, client, caller, made, owner, listId: list.body.list_id as string, erase };
}

const recipients = async (
  client: { query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> },
  id: string,
) =>
  (
    await client.query(
      `select phone from threads where campaign_id = (select id from campaigns where campaign_id = $1) order by phone`,
      [id],
    )
  ).rows;

test("who is erased between the reading of a list and the writing of its campaign is not in it, and nowhere else", async (t) => {
  const { ctx, client, caller, made, owner, listId, erase } = await aList(t);
  const body = {
    campaign_name: "New",
    ...owner,
    sms_agent_id: made.agentId,
    svc_sms_number: SENDER,
    campaign_id: "new",
    list_id: listId,
  };
  const answer = await createCampaign(erasingFirst(ctx, erase), caller, {}, bytesOf(body));
  const { total_contacts, contacts_skipped } = answer.details as Record<string, number>;
  assert.deepEqual([total_contacts, contacts_skipped], [1, 1]);
  assert.deepEqual(await recipients(client, "new"), [{ phone: MAX }]);
  assert.deepEqual(await tablesWith(client, CANARIES), []);
});

test("a campaign is of the agent's version that counts while it is written, with that version's messages", async (t) => {
  const { api, ctx, client, caller, made, owner, listId } = await aList(t);
  const change = async () => {
    const drip_schedule = [{ day: 1, message: "Are you still there?" }];
    const changed = await api.patch(`/v1/agents/${made.agentId}`, { drip_schedule });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
  };
  const body = {
    campaign_name: "New",
    ...owner,
    sms_agent_id: made.agentId,
    svc_sms_number: SENDER,
    campaign_id: "new",
  };
  await createCampaign(erasingFirst(ctx, change), caller, {}, bytesOf({ ...body, list_id: listId }));
  const { rows } = await client.query(
    `select campaign.agent_version = agent.version as "isOfLast", agent.version > 1 as "isChanged",
       (select count(*)::int from messages where campaign_id = campaign.id) as messages
     from campaigns campaign join agents agent on agent.id = campaign.agent_id where campaign.campaign_id = 'new'`,
  );
  assert.deepEqual(rows, [{ isOfLast: true, isChanged: true, messages: 4 }]);
});

test("who is erased while a list is added to a campaign is not added, but for what the request itself says", async (t) => {
  const { ctx, client, caller, made, listId, erase } = await aList(t);
  const brought = { list_id: listId, clients: [{ phone_number: ZOE, city: "Reno" }] };
  await addLeads(erasingFirst(ctx, erase), caller, { campaign_id: made.campaignId }, bytesOf(brought));
  assert.deepEqual(await recipients(client, made.campaignId), [
    { phone: ZOE },
    { phone: MAX },
    { phone: "+12125550199" },
  ]);
  const { rows } = await client.query("select fields from contacts where phone = $1", [ZOE]);
  assert.deepEqual(rows, [{ fields: { city: "Reno" } }]);
  assert.deepEqual(await tablesWith(client, ["Zanzibella"]), []);
});

test("a campaign of calls does not bring back who was erased while it was made, or added to", async (t) => {
  const { api, ctx, client, caller, owner, listId, erase } = await aList(t);
  const { body: agent } = await api.post("/v1/agents", {
    ...owner,
    agent_type: "voice",
    agent_name: "Ava",
    prompt: "Sell.",
    voice_id: "11labs-Adrian",
  });
  const plan = { ...owner, voice_agent_id: agent.voice_agent_id, agent_outbound_number: SENDER };
  const other = { ...plan, campaign_id: "other", leads: [{ phone_number: "+12125550198" }] };
  assert.equal((await api.post("/v1/voice/campaigns", other)).status, 202);
  const body = { ...plan, campaign_id: "calls", list_id: listId };
  const made = await createVoiceCampaign(erasingFirst(ctx, erase), caller, {}, bytesOf(body));
  assert.equal(made.contacts_count, 1);
  assert.deepEqual(await recipients(client, "calls"), [{ phone: MAX }]);
  const { rows } = await client.query("select id from contacts where phone = $1", [MAX]);
  const eraseMax = () => deleteContact(ctx, caller, rows[0].id);
  const bare = { list_id: listId, leads: [] };
  const added = await addVoiceLeads(erasingFirst(ctx, eraseMax), caller, { campaign_id: "other" }, bytesOf(bare));
  assert.deepEqual(added.details, { leads_added: 0, leads_requeued: 0, leads_skipped: 1 });
  assert.deepEqual(await tablesWith(client, [...CANARIES, "5550164"]), []);
});

test("an erasure waits for a campaign that is being written from its contact, and then takes that too", async (t) => {
  const { ctx, client, caller, made, owner, listId, erase } = await aList(t);
  const body = { campaign_name: "New", ...owner, sms_agent_id: made.agentId, svc_sms_number: SENDER, list_id: listId };
  let erased: Promise<void> | undefined;
  const transaction: Context["db"]["transaction"] = (work) =>
    ctx.db.transaction(async (tx) => {
      const result = await work(tx);
      erased ??= erase();
      // It has asked for the contact by now, and waits.
      await until("the erasure waits for a lock", async () => (await waitingForLocks(client)) > 0);
      return result;
    });
  await createCampaign({ ...ctx, db: { ...ctx.db, transaction } }, caller, {}, bytesOf(body));
  await erased;
  assert.deepEqual(await tablesWith(client, CANARIES), []);
});

/** A call to phone(0) that goes on while its contact is erased. */
async function erasedInCall(t: TestContext, course: Parameters<typeof aLine>[0]) {
  const calling = await aCalling(t, 1);
  const hangUp = Promise.withResolvers<void>();
  const line = aLine((plan) => ({ until: hangUp.promise, ...course!(plan) }));
  const ctx = calling.with(line);
  const over = drain(ctx, calling.lane);
  await until("it is on the phone", async () => {
    const { rows } = await calling.client.query("select from calls where status = 'ongoing'");
    return rows.length === 1;
  });
  const { rows } = await calling.client.query("select call.id as call_id, call.contact_id from calls call");
  const caller = {
    tenantId: calling.tenantId,
    accountId: calling.tenantId,
    keyId: NO_ID,
    mode: "test" as const,
    scopes: [],
    organizations: undefined,
    newId: ctx.newId,
  };
  await deleteContact(ctx, caller as Caller, rows[0].contact_id);
  const end = async () => {
    hangUp.resolve();
    await over;
  };
  return { ...calling, ctx, end, callId: rows[0].call_id as string };
}

test("a call that goes on while its contact is erased writes nothing of it, and the wish to be left alone is kept as a hash", async (t) => {
  const call = await erasedInCall(t, () => ({
    report: { requests: { optOut: { quote: "Zanzibella says stop" } } },
  }));
  await call.end();
  assert.deepEqual(await tablesWith(call.client, ["Zanzibella", phone(0).slice(2)]), []);
  const kept = await call.client.query(
    "select opted_out_at is not null as out, opt_out_source from erased_phones where erased_at > 'epoch'",
  );
  assert.deepEqual(kept.rows, [{ out: true, opt_out_source: "call" }]);
  // The number comes back, and the gate finds the wish.
  const { voiceAgentId } = await aVoiceAgent(call.api);
  const again = { voice_agent_id: voiceAgentId, agent_outbound_number: SENDER, leads: [{ phone_number: phone(0) }] };
  assert.equal((await call.api.post("/v1/voice/campaigns", again)).status, 202);
  const line = aLine();
  const { rows } = await call.client.query("select id from campaigns order by id desc limit 1");
  await drain(call.with(line), { tenantId: call.tenantId, laneId: rows[0].id });
  assert.deepEqual(line.begun, []);
});

test("a callback that an erased person had asked for in the call is not planned", async (t) => {
  const call = await erasedInCall(t, (plan) => ({
    report: {
      requests: { callback: { at: new Date(Date.parse(plan.now) + 3_600_000).toISOString(), quote: "later" } },
    },
  }));
  await call.end();
  const { rows } = await call.client.query("select purpose from dials where due_at is not null");
  assert.deepEqual(rows, []);
});

test("a recording that a lost node left of an erased person's call is dropped, also when the erasure comes in between", async (t) => {
  const call = await erasedInCall(t, () => ({}));
  await call.end();
  const never = async () => assert.fail("the recording of somebody who was erased was kept");
  assert.equal(await adoptRecording(call.ctx, call.callId, never), "dropped");

  const second = await aCalling(t, 1);
  const ctx = second.with(aLine());
  await drain(ctx, second.lane);
  const { rows } = await second.client.query("select id, contact_id from calls");
  const name = `${second.tenantId}/${rows[0].id}.wav`;
  const file = join(second.api.config.dataDir, "recordings", name);
  const keep = async () => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "RIFF");
    const caller = {
      tenantId: second.tenantId,
      accountId: second.tenantId,
      keyId: NO_ID,
      mode: "test" as const,
      scopes: [],
      organizations: undefined,
      newId: ctx.newId,
    };
    await deleteContact(ctx, caller as Caller, rows[0].contact_id);
    return { name, bytes: 4, durationMs: 60_000 };
  };
  assert.equal(await adoptRecording(ctx, rows[0].id, keep), "dropped");
  assert.equal(existsSync(file), false);
  const details = await second.client.query("select recording from call_details");
  assert.deepEqual(details.rows, [{ recording: null }]);
  assert.equal((await second.client.query("select from doomed_objects")).rowCount, 0);
});

test("a receipt that comes while its contact is erased waits for that, without a deadlock", async (t) => {
  const sending = await aSending(t, 1);
  // A receipt holds the attempt of a text that was not thought to have left.
  const carrier = aCarrier(() => ({ outcome: "not_sent", code: "busy", retryAfterMs: 60_000 }));
  await drainTexts(withCarrier(sending.ctx, carrier), sending.lane);
  const { rows } = await sending.client.query("select id from contacts");
  const holder = await openClient(t, sending.api.databaseUrl);
  await holder.query("begin; select from messages for update");
  let tries = 0;
  const counted = (ctx: Context): Context => {
    const transaction: Context["db"]["transaction"] = (work) =>
      ctx.db.transaction((tx) => {
        tries++;
        return work(tx);
      });
    const db = { ...ctx.db, transaction };
    return { ...ctx, db, tenantDb: db };
  };
  const erased = deleteContact(counted(sending.ctx), sending, rows[0].id);
  await until("the erasure waits for the text", async () => (await waitingForLocks(sending.client)) === 1);
  const receipt = { ref: carrier.handed[0]!.ref, status: "delivered" as const };
  const received = recordReceipts(counted(sending.another()), sending.tenantId, [receipt]);
  await until("the receipt waits behind it", async () => (await waitingForLocks(sending.client)) === 2);
  await holder.query("commit");
  await Promise.all([erased, received]);
  assert.equal(tries, 2, "a deadlock has undone one of them");
  assert.deepEqual(await tablesWith(sending.client, [phone(0).slice(2)]), []);
});
