import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { countsOf, importFile, importIs, sendFile } from "#test/support/campaigns/import.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { tablesWith } from "#test/support/database/tables-with.ts";
import {
  campaignIs,
  campaignOf,
  gets,
  handsetPath,
  quiet,
  says,
  textsTo,
  threadPath,
} from "#test/support/messaging/handset.ts";
import { assertCounts } from "#test/support/messaging/ledger.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** What nobody else's data holds, in every form in which it might be kept. */
const CANARIES = ["Zanzibella", "zanzi@canary.example", "quokka-7", "5550101", "5550178"];
const PHONE = "+12125550101";
const FORMER = "+12125550178";

const setUp = async (t: import("node:test").TestContext) => {
  const api = await startParley(t);
  await aNoon(api);
  return { api, client: await openClient(t, api.databaseUrl) };
};

async function contactIdOf(api: Parley, organizationId: string, phone: string): Promise<string> {
  const query = `organization_id=${organizationId}&phone_number=${encodeURIComponent(phone)}`;
  return (await api.get(`/v1/contacts/leads?${query}`)).body.leads[0].unique_id;
}

test("an erased person is nowhere, and still not texted", async (t) => {
  const { api, client } = await setUp(t);
  const person = { first_name: "Zanzibella", email: "zanzi@canary.example", notes: "quokka-7" };
  const made = await aCampaign(api, {
    agent: { starting_message: "Hi {{first_name}}, do you have a minute?", extraction_fields: ["name", "interest"] },
    contacts: [
      { phone_number: FORMER, ...person },
      { phone_number: "+12125550160", first_name: "Other" },
    ],
  });
  const owner = { organization_id: made.organizationId, user_id: made.userId };
  await gets(api, FORMER, 1);
  const id = await contactIdOf(api, made.organizationId, FORMER);
  assert.equal((await api.patch(`/v1/contacts/leads/${id}`, { phone_number: PHONE })).status, 200);
  const kept = { headers: { "idempotency-key": "canary" } };
  const lists = {
    list_name: "L",
    ...owner,
    contacts: [{ phone_number: PHONE, ...person }, { phone_number: "+12125550161" }],
  };
  assert.equal((await api.post("/v1/contacts/lists", lists, kept)).status, 201);
  const second = "canary-campaign";
  const campaign = {
    campaign_name: "Second",
    ...owner,
    sms_agent_id: made.agentId,
    svc_sms_number: SENDER,
    campaign_id: second,
    contacts: [{ phone_number: PHONE, ...person }, { phone_number: PHONE }],
  };
  const made2 = await api.post("/v1/campaigns", campaign, { headers: { "idempotency-key": "k1" } });
  assert.deepEqual([made2.status, made2.body.left_out[0].value], [202, PHONE]);
  await gets(api, PHONE, 1);
  await says(api, PHONE, "My name is Zanzibella and I want the quokka-7");
  await until("the agent has answered, and its extraction is there", async () => {
    const { body } = await api.get(`/v1/sms/extractions/${encodeURIComponent(PHONE)}_${second}`);
    return body.extraction !== null && (await textsTo(api, PHONE)).length > 1;
  });
  await api.post(
    `${threadPath(PHONE, second)}/messages`,
    { text: "Dear Zanzibella" },
    { headers: { "idempotency-key": "k2" } },
  );
  await says(api, FORMER, "STOP calling Zanzibella");
  await says(api, PHONE, "STOP");
  await until("both are opted out", async () => {
    const { rows } = await client.query("select from consents where opted_out_at is not null");
    return rows.length === 2;
  });
  const consent = { basis: "express", source: "web_form", proof: "signed by Zanzibella" };
  assert.equal((await api.put(`/v1/consents/${encodeURIComponent(PHONE)}`, consent)).status, 200);
  await importFile(api, owner, `phone,first_name,birthday\n${PHONE},Zanzibella,never\n`);
  await importFile(api, owner, `phone,email\n${PHONE},zanzi@canary.example\n`);
  await api.post("/v1/dnc/add", { phone_number: "+12125550162", reason: "asked" });
  await quiet(api);
  assert.ok((await tablesWith(client, CANARIES)).length > 8, "the person is all over the place");
  const billed = async () =>
    (await client.query("select campaign_id, kind, state, segments, sent_at from messages order by id")).rows;
  const before = await billed();

  await t.test("no table, file or answer has a word of it", async () => {
    const { status } = await api.delete(`/v1/contacts/leads/${id}`);
    assert.equal(status, 200);
    await quiet(api);
    assert.deepEqual(await tablesWith(client, CANARIES), []);
    assert.deepEqual(readdirSync(join(api.config.dataDir, "uploads")), []);
    assert.equal((await api.delete(`/v1/contacts/leads/${id}`)).body.error, "Contact not found");
    assert.equal((await api.get(threadPath(PHONE, second))).status, 404);
  });

  await t.test("what is counted and billed is as it was", async () => {
    assert.deepEqual(await billed(), before);
    await assertCounts(client);
  });

  await t.test("a kept answer leaves out the person and keeps the others", async () => {
    const { status, body } = await api.post("/v1/contacts/lists", lists, kept);
    assert.equal(status, 201);
    assert.deepEqual(
      body.leads.map((lead: { phone_number: string }) => lead.phone_number),
      ["+12125550161"],
    );
  });

  await t.test("the number comes back with a file, and the opt-out with it: the gate blocks it", async () => {
    const fileImport = await importFile(api, owner, `phone,first_name\n${PHONE},Newly\n`);
    assert.deepEqual(countsOf(fileImport), [1, 0, 0, 0]);
    const heard = (await textsTo(api, PHONE)).length;
    const { status } = await api.post("/v1/campaigns", {
      ...campaign,
      campaign_id: "third",
      contacts: [{ phone_number: PHONE }],
    });
    assert.equal(status, 202);
    await campaignIs(api, "third", "completed");
    assert.equal((await campaignOf(api, "third")).counts.opted_out, 1);
    await quiet(api);
    assert.equal((await textsTo(api, PHONE)).length, heard);
  });

  await t.test("a START of the person's own undoes it, also when nothing was tried in between", async () => {
    const heard = (await textsTo(api, FORMER)).length;
    await says(api, FORMER, "START");
    await gets(api, FORMER, heard + 1);
    const contacts = [{ phone_number: FORMER, first_name: "Zoe" }];
    assert.equal((await api.post("/v1/campaigns", { ...campaign, campaign_id: "fourth", contacts })).status, 202);
    await gets(api, FORMER, heard + 2);
  });
});

test("a person is erased while its campaigns run", async (t) => {
  const { api, client } = await setUp(t);
  const contacts = Array.from({ length: 300 }, (_, i) => ({
    phone_number: `+1212444${1000 + i}`,
    first_name: "Zanzibella",
  }));
  const made = await aCampaign(api, {
    contacts,
    agent: { drip_schedule: [{ day: 1, message: "Still there, {{first_name}}?" }] },
  });
  const { body } = await api.get(`/v1/contacts/leads?organization_id=${made.organizationId}&limit=500`);
  const going = contacts.slice(0, 100).map((contact) => contact.phone_number);
  const theirs = body.leads.filter((lead: { phone_number: string }) => going.includes(lead.phone_number));
  for (const lead of theirs) assert.equal((await api.delete(`/v1/contacts/leads/${lead.unique_id}`)).status, 200);

  await t.test("what was to be texted is withdrawn, and nothing goes out twice or to nobody", async () => {
    await quiet(api);
    const { rows } = await client.query(
      "select count(*)::int as n from messages where phone like 'erased:%' and due_at is not null",
    );
    assert.equal(rows[0].n, 0);
    await assertCounts(client);
    const { body } = await api.get(`/v1/simulator/traffic?campaign_id=${made.campaignId}`);
    assert.equal(body.duplicates, 0);
    const { body: nobody } = await api.get(handsetPath("+12124449999"));
    assert.deepEqual(nobody.messages, []);
    assert.deepEqual(
      await tablesWith(
        client,
        going.map((phone) => phone.slice(2)),
      ),
      [],
    );
  });

  await t.test("a file that came before does not bring somebody back", async () => {
    const parts = await anAgent(api);
    const owner = { organization_id: parts.organizationId, user_id: parts.userId };
    await importFile(api, owner, "phone,first_name\n+12125550163,Zanzibella\n");
    const id = await contactIdOf(api, owner.organization_id, "+12125550163");
    const rows = Array.from({ length: 5_000 }, (_, i) => `+1303${2_000_000 + i},Ann`);
    await client.query("begin");
    // Holds the import up at its first row, as a slow disk might.
    await client.query(
      "insert into contacts (tenant_id, id, organization_id, phone, created_at, updated_at) select tenant_id, gen_random_uuid(), organization_id, '+13032000000', now(), now() from contacts where phone = '+12125550163'",
    );
    const sent = await sendFile(api, `phone,first_name\n${rows.join("\n")}\n+12125550163,Zanzibella\n`, owner);
    await until("the import stands at its first row", async () => (await waitingForLocks(client)) > 0);
    const erasing = api.delete(`/v1/contacts/leads/${id}`);
    await client.query("rollback");
    assert.equal((await erasing).status, 200);
    const fileImport = await importIs(api, sent.body.import.import_id, ["completed"]);
    assert.equal(fileImport.created + fileImport.failed + fileImport.updated, 5_001);
    assert.deepEqual(await tablesWith(client, ["5550163"]), []);
  });
});
