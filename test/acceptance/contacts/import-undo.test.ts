import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner, type Owner } from "#test/support/accounts/owner.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { contactsOf, countsOf, importFile, importIs } from "#test/support/campaigns/import.ts";
import { quiet, says } from "#test/support/messaging/handset.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("taking an import back", async (t) => {
  const api = await startParley(t);
  const find = async (owner: Owner, phone: string) => {
    const query = `organization_id=${owner.organization_id}&phone_number=${encodeURIComponent(phone)}`;
    return (await api.get(`/v1/contacts/leads?${query}`)).body.leads[0];
  };
  const undo = async (fileImport: { import_id: string }) => {
    const { status, body } = await api.post(`/v1/contacts/imports/${fileImport.import_id}/undo`);
    assert.equal(status, 202, JSON.stringify(body));
    return importIs(api, fileImport.import_id, ["undone"]);
  };

  await t.test("contacts that it made go, and fields that it changed are as before", async () => {
    const owner = await anOwner(api);
    await importFile(api, owner, "phone,first_name,city\n+12125550101,Ann,Reno\n");
    const fileImport = await importFile(
      api,
      owner,
      "phone,city,score\n+12125550101,Elko,5\n+12125550102,Ely,6\n212-555-0101,Eureka,\n",
    );
    assert.deepEqual(countsOf(fileImport), [1, 1, 1, 0]);
    const done = await undo(fileImport);
    assert.deepEqual(done.undo, { removed: 1, restored: 1, kept: 0 });
    const ann = await find(owner, "+12125550101");
    assert.deepEqual([ann.first_name, ann.city, ann.score], ["Ann", "Reno", undefined]);
    assert.equal(await find(owner, "+12125550102"), undefined);
    assert.equal((await api.get(`/v1/contacts/lists/${fileImport.list_id}`)).status, 404);
    assert.deepEqual((await undo(fileImport)).undo, done.undo);
    const again = await importFile(api, owner, "phone\n+12125550102\n");
    assert.deepEqual(countsOf(again), [1, 0, 0, 0]);
  });

  await t.test("what has been changed or used since stays", async () => {
    const owner = await anOwner(api);
    const rows = ["+12125550110,a", "+12125550111,b", "+12125550112,c", "+12125550113,d"];
    await importFile(api, owner, "phone,city,notes\n+12125550113,old,old\n");
    const fileImport = await importFile(api, owner, `phone,city\n${rows.join("\n")}\n`);
    const contacts = await contactsOf(api, fileImport);
    await api.patch(`/v1/contacts/leads/${contacts.get("+12125550111")!.unique_id}`, { notes: "mine" });
    await api.post("/v1/contacts/lists", { list_name: "L", ...owner, contacts: [{ phone_number: "+12125550112" }] });
    await api.patch(`/v1/contacts/leads/${contacts.get("+12125550113")!.unique_id}`, { city: "mine" });
    assert.deepEqual((await undo(fileImport)).undo, { removed: 1, restored: 0, kept: 3 });
    assert.equal(await find(owner, "+12125550110"), undefined);
    assert.equal((await find(owner, "+12125550111")).notes, "mine");
    assert.equal((await find(owner, "+12125550112")).city, "c");
    assert.equal((await find(owner, "+12125550113")).city, "mine");
  });

  await t.test(
    "a contact that is in a campaign stays, and an opt-out stays whatever is imported or undone",
    async () => {
      await aNoon(api);
      const phone = "+12125550170";
      const made = await aCampaign(api, { contacts: [{ phone_number: "+12125550171" }] });
      const owner = { organization_id: made.organizationId, user_id: made.userId };
      const fileImport = await importFile(api, owner, `phone,first_name\n${phone},Ann\n+12125550172,Bo\n`);
      await api.post(`/v1/campaigns/${made.campaignId}/leads`, { clients: [{ phone_number: phone }] });
      await quiet(api);
      await says(api, phone, "STOP");
      const client = await openClient(t, api.databaseUrl);
      const optedOut = async () =>
        (await client.query("select opted_out_at from consents where phone = $1", [phone])).rows[0]?.opted_out_at;
      const at = await until("the STOP is in", optedOut);
      const again = await importFile(api, owner, `phone,first_name\n${phone},Anna\n`);
      assert.deepEqual(await optedOut(), at);
      assert.deepEqual((await undo(again)).undo, { removed: 0, restored: 1, kept: 0 });
      assert.deepEqual((await undo(fileImport)).undo, { removed: 1, restored: 0, kept: 1 });
      assert.deepEqual(await optedOut(), at);
      assert.equal((await find(owner, phone)).first_name, "Ann");
    },
  );

  await t.test("an import that runs cannot be undone", async () => {
    const client = await openClient(t, api.databaseUrl);
    const fileImport = await importFile(api, await anOwner(api), "phone\n+12125550101\n");
    await client.query("update imports set status = 'running', leased_until = now() + interval '1 hour'");
    const { status, body } = await api.post(`/v1/contacts/imports/${fileImport.import_id}/undo`);
    assert.deepEqual([status, body.code], [409, "conflict"]);
  });
});
