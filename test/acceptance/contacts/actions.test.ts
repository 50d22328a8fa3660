import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { tablesWith } from "#test/support/database/tables-with.ts";
import { campaignIs, quiet, textsTo } from "#test/support/messaging/handset.ts";
import { assertCounts } from "#test/support/messaging/ledger.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Fields = Record<string, unknown>;
const NOBODY = "lead_00000000000000000000000001";
const phone = (n: number): string => `+1212555${String(2000 + n)}`;

test("one thing is done with many contacts", async (t) => {
  const api = await startParley(t);
  const owner = await anOwner(api);
  const people = Array.from({ length: 6 }, (_, n) => ({ phone_number: phone(n), first_name: n < 4 ? "Ann" : "Bo" }));
  const contacts = [...people.slice(0, 5), { ...people[5]!, tags: "VIP; old" }];
  const made = (await api.post("/v1/contacts/lists", { list_name: "All", ...owner, contacts })).body;
  const ids: string[] = made.leads.map((lead: Fields) => lead.unique_id);
  const { organization_id } = owner;
  const act = (fields: Fields) => api.post("/v1/contacts/leads/actions", { organization_id, ...fields });
  const done = async (fields: Fields) => {
    const { status, body } = await act(fields);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const found = async (query: string): Promise<string[]> =>
    (await api.get(`/v1/contacts/leads?organization_id=${organization_id}${query}`)).body.leads.map(
      (lead: Fields) => lead.unique_id,
    );

  await t.test(
    "a tag is written to those who lack it, found by it, and taken back from whom it was given",
    async () => {
      const body = await done({ action: "tag", tag: "vip", lead_ids: [...ids, NOBODY] });
      assert.deepEqual([body.matched, body.done], [6, 5]);
      assert.deepEqual(body.skipped, [
        { reason: "not_found", count: 1 },
        { reason: "already_tagged", count: 1 },
      ]);
      assert.deepEqual(body.changed_lead_ids.toSorted(), ids.slice(0, 5).toSorted());
      assert.deepEqual((await found("&tag=Vip")).toSorted(), ids.toSorted());
      assert.deepEqual(await found("&tag=old&search=bo"), [ids[5]]);
      await done({ action: "untag", tag: "VIP", lead_ids: body.changed_lead_ids });
      assert.deepEqual(await found("&tag=vip"), [ids[5]]);
      const both = await done({ action: "tag", tag: "new", filter: { tag: "vip" } });
      assert.equal(both.done, 1);
      const { lead } = (await api.get(`/v1/contacts/leads/${ids[5]}`)).body;
      assert.equal(lead.tags, "VIP; old, new");
      await done({ action: "untag", tag: "old", lead_ids: ids });
      assert.equal((await api.get(`/v1/contacts/leads/${ids[5]}`)).body.lead.tags, "VIP, new");
    },
  );

  await t.test("all that match a filter go on a list, and come off it again", async () => {
    const list = (await api.post("/v1/contacts/lists", { list_name: "Part", ...owner, contacts: people.slice(0, 1) }))
      .body;
    const { list_id } = list;
    const body = await done({ action: "add_to_list", list_id, filter: { search: "ann" } });
    assert.deepEqual([body.matched, body.done, body.skipped], [4, 3, [{ reason: "already_on_list", count: 1 }]]);
    assert.equal((await found(`&list_id=${list_id}`)).length, 4);
    await done({ action: "remove_from_list", list_id, lead_ids: body.changed_lead_ids });
    const [off, on] = (await api.get("/v1/audit?operation=changeContacts&limit=2")).body.entries;
    assert.deepEqual([on.counts, on.after.chosen_by], [{ matched: 4, changed: 3 }, { fields: ["search"] }]);
    assert.deepEqual(
      [off.counts, off.after.chosen_by],
      [{ named: 3, matched: 3, changed: 3 }, { fields: ["lead_ids"] }],
    );
    assert.deepEqual(await found(`&list_id=${list_id}`), [ids[0]]);
  });

  await t.test(
    "do not call and may call are the organization's entries, those for all organizations stay",
    async () => {
      await api.post("/v1/dnc/add", { phone_number: phone(0) });
      const body = await done({ action: "do_not_call", lead_ids: ids.slice(1, 3), reason: "asked" });
      assert.equal(body.done, 2);
      assert.equal((await done({ action: "do_not_call", lead_ids: ids.slice(2, 4) })).done, 1);
      const { entries } = (await api.get(`/v1/dnc?organization_id=${organization_id}`)).body;
      assert.deepEqual(
        entries.map((entry: Fields) => [entry.phone_number, entry.reason, entry.source]),
        [
          [phone(1), "asked", "api"],
          [phone(2), "asked", "api"],
          [phone(3), null, "api"],
        ],
      );
      const back = await done({ action: "may_call", lead_ids: ids.slice(0, 5) });
      assert.equal(back.done, 3);
      assert.deepEqual(back.skipped, [
        { reason: "listed_for_all_organizations", count: 1 },
        { reason: "not_listed", count: 1 },
      ]);
      assert.equal((await api.get("/v1/dnc")).body.count, 1);
      assert.equal((await api.post("/v1/dnc/remove", { phone_number: phone(0) })).body.removed, 1);
    },
  );

  await t.test("what it needs is named, and what is not there is not found", async () => {
    const wrong = async (fields: Fields) => wrongFields(await act(fields));
    assert.deepEqual(await wrong({ action: "tag", tag: "a" }), ["lead_ids"]);
    assert.deepEqual(await wrong({ action: "tag", tag: "a", filter: {}, lead_ids: ids }), ["lead_ids"]);
    assert.deepEqual(await wrong({ action: "tag", filter: {} }), ["tag"]);
    assert.deepEqual(await wrong({ action: "untag", tag: "a,b", filter: {} }), ["tag"]);
    assert.deepEqual(await wrong({ action: "add_to_list", filter: {} }), ["list_id"]);
    assert.deepEqual(await wrong({ action: "erase", filter: {} }), ["expected_count"]);
    const many = Array.from({ length: 10_001 }, () => NOBODY);
    assert.deepEqual(await wrong({ action: "tag", tag: "a", lead_ids: many }), ["lead_ids"]);
    const other = await anOwner(api);
    const { list_id } = (
      await api.post("/v1/contacts/lists", { list_name: "B", ...other, contacts: people.slice(0, 1) })
    ).body;
    assert.equal((await act({ action: "add_to_list", list_id, filter: {} })).status, 404);
    assert.equal((await act({ action: "tag", tag: "a", filter: { list_id } })).status, 404);
    const others = await act({ action: "tag", tag: "a", lead_ids: ids, organization_id: other.organization_id });
    assert.deepEqual([others.body.matched, others.body.skipped], [0, [{ reason: "not_found", count: 6 }]]);
  });
});

test("many are unsubscribed, and many erased, as one is", async (t) => {
  const api = await startParley(t);
  const client = await openClient(t, api.databaseUrl);
  await aNoon(api);
  // Phones that answer nothing: what is to follow stays to be withdrawn.
  const contacts = [63, 64, 65, 66].map((n) => ({ phone_number: `+130355501${n}`, first_name: `Quokka${n}` }));
  const agent = { drips: [{ delay_seconds: 3_600, message: "Still there?" }] };
  const campaign = await aCampaign(api, { agent, contacts });
  const { organizationId: organization_id } = campaign;
  await campaignIs(api, campaign.campaignId, "active");
  await until("all have their first text", async () => {
    const texts = await Promise.all(contacts.map(({ phone_number }) => textsTo(api, phone_number)));
    return texts.every((some) => some.length === 1);
  });
  await quiet(api);
  const act = (fields: Fields, key?: string) =>
    api.post(
      "/v1/contacts/leads/actions",
      { organization_id, ...fields },
      key === undefined ? {} : { headers: { "idempotency-key": key } },
    );

  await t.test("unsubscribed are they for the whole tenant, in both modes, and nothing follows", async () => {
    const { body } = await act({ action: "unsubscribe", filter: { search: "quokka6" } });
    assert.deepEqual([body.matched, body.done, body.skipped], [4, 4, []]);
    const { opt_outs } = (await api.get("/v1/opt-outs?source=operator")).body;
    assert.equal(opt_outs.length, 4);
    const waiting = await client.query("select from messages where due_at is not null");
    assert.equal(waiting.rowCount, 0);
    const elsewhere = await client.query("select from erased_phones where opt_out_source = 'other_mode'");
    assert.equal(elsewhere.rowCount, 4);
    const events = await client.query("select phone from events where kind = 'contact.opted_out' order by phone");
    assert.deepEqual(
      events.rows.map((row) => row.phone),
      contacts.map((contact) => contact.phone_number),
    );
    await assertCounts(client);
    const again = await act({ action: "unsubscribe", filter: {} });
    assert.deepEqual([again.body.done, again.body.skipped], [0, [{ reason: "already_opted_out", count: 4 }]]);
  });

  await t.test("erased are only as many as were expected, and nothing of them is left", async () => {
    const kept = await act({ action: "tag", tag: "x", filter: { search: "quokka" } }, "kept");
    assert.equal(kept.body.done, 4);
    const dry = await act({ action: "erase", filter: { search: "quokka" }, dry_run: true });
    assert.deepEqual([dry.body.matched, dry.body.done], [4, 0]);
    const wrong = await act({ action: "erase", filter: { search: "quokka" }, expected_count: 3 });
    assert.equal(wrong.status, 409);
    const erased = await act({ action: "erase", filter: { search: "quokka" }, expected_count: 4 });
    assert.deepEqual([erased.body.matched, erased.body.done, erased.body.skipped], [4, 4, []]);
    assert.deepEqual(await tablesWith(client, ["Quokka", "3035550163", "3035550166"]), []);
    const kept2 = await client.query(
      "select from erased_phones where opted_out_at is not null and erased_at > 'epoch'",
    );
    assert.equal(kept2.rowCount, 4);
    await assertCounts(client);
  });
});

test("sets of many are as one statement, not as many", async (t) => {
  const api = await startParley(t);
  const client = await openClient(t, api.databaseUrl);
  const owner = await anOwner(api);
  const contacts = Array.from({ length: 1_200 }, (_, n) => ({ phone_number: `+1212555${String(3000 + n)}` }));
  await api.post(
    "/v1/contacts/lists",
    { list_name: "All", ...owner, contacts },
    { headers: { "idempotency-key": "l" } },
  );
  const { organization_id } = owner;
  const act = async (fields: Fields) =>
    (await api.post("/v1/contacts/leads/actions", { organization_id, filter: {}, ...fields })).body;
  assert.equal((await act({ action: "tag", tag: "spring" })).done, 1_200);
  assert.equal((await act({ action: "unsubscribe" })).done, 1_200);
  assert.equal((await act({ action: "erase", expected_count: 1_200 })).done, 1_200);
  const left = await client.query("select from contacts where phone like '+%'");
  assert.equal(left.rowCount, 0);
  const { rows } = await client.query("select body from idempotency_keys");
  assert.ok(!rows[0].body.includes("+12125553000"), "the kept answer names nobody of them");
});
