import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { startParley } from "#test/support/api/parley.ts";

const NOBODY = "00000000000000000000000000";
type Lead = Record<string, string>;

test("contacts and lists", async (t) => {
  const api = await startParley(t);
  const owner = await anOwner(api);
  const upload = (contacts: unknown[], more: object = {}) =>
    api.post("/v1/contacts/lists", { list_name: "Spring", ...owner, contacts, ...more });
  const one = async (contact: object): Promise<Lead> => (await upload([contact])).body.leads[0];

  await t.test("a list answers with what is stored, in the caller's order", async () => {
    const { status, body } = await upload([
      { phone_number: "(212) 555-0102", first_name: "Bo", score: 12, vip: true, nickname: null },
      { phone_number: "+12125550101", first_name: "Ann", email: "ann@acme.example" },
    ]);
    assert.equal(status, 201);
    assert.match(body.list_id, /^list_[0-9a-z]{26}$/);
    assert.equal(body.count, 2);
    assert.deepEqual(body.invalid, []);
    const [bo, ann] = body.leads;
    assert.match(bo.unique_id, /^lead_[0-9a-z]{26}$/);
    assert.deepEqual(
      Object.keys(bo).sort(),
      "created_at first_name organization_id phone_number score unique_id updated_at vip".split(" "),
    );
    assert.deepEqual([bo.phone_number, bo.score, bo.vip], ["+12125550102", 12, true]);
    assert.deepEqual([ann.phone_number, ann.email], ["+12125550101", "ann@acme.example"]);
    assert.equal(ann.organization_id, owner.organization_id);
  });

  await t.test("contacts without a usable phone are reported and skipped", async () => {
    const { status, body } = await upload([
      { first_name: "None" },
      { phone_number: "+12125550103" },
      { phone_number: "911" },
    ]);
    assert.equal(status, 201);
    assert.equal(body.count, 1);
    assert.deepEqual(
      body.invalid.map((row: { index: number }) => row.index),
      [0, 2],
    );
  });

  await t.test(
    "of contacts with one number the first is taken, and the others are named as campaigns name them",
    async () => {
      const { body } = await upload([
        { phone_number: "+12125550104", first_name: "José" },
        { phone_number: "911" },
        { phone_number: "212-555-0104", first_name: "Dup", city: "Reno" },
      ]);
      assert.equal(body.count, 1);
      assert.deepEqual([body.leads[0].first_name, body.leads[0].city], ["José", undefined]);
      const [{ error }] = body.invalid;
      assert.deepEqual(body.invalid, [{ index: 1, error }]);
      assert.deepEqual(body.left_out, [
        { index: 1, value: "911", reason: "invalid_number", error, duplicate_of: null },
        {
          index: 2,
          value: "+12125550104",
          reason: "duplicate",
          error: "has the number of contacts[0]",
          duplicate_of: 0,
        },
      ]);
      assert.equal((await one({ phone_number: "+12125550104", first_name: "Dup" })).first_name, "Dup");
    },
  );

  await t.test("a known number gets the given fields and keeps its id and the others", async () => {
    const first = await one({ phone_number: "+12125550105", first_name: "Di", city: "Reno" });
    const again = await one({ phone_number: "+12125550105", city: "Elko" });
    assert.equal(again.unique_id, first.unique_id);
    assert.deepEqual([again.first_name, again.city, again.created_at], ["Di", "Elko", first.created_at]);
    const elsewhere = await upload([{ phone_number: "+12125550105" }], await anOwner(api));
    assert.notEqual(elsewhere.body.leads[0].unique_id, first.unique_id);
  });

  await t.test("every wrong field of the body and its contacts is named at once", async () => {
    const empty = await api.post("/v1/contacts/lists", {});
    assert.equal(empty.status, 400);
    assert.deepEqual(wrongFields(empty), ["list_name", "organization_id", "user_id", "contacts"]);
    const wrong = await upload(["x", { phone_number: 5 }, { phone_number: "+12125550106", first_name: 7, tags: [] }], {
      list_name: "",
    });
    assert.equal(wrong.status, 400);
    assert.deepEqual(wrongFields(wrong).sort(), [
      "contacts[0]",
      "contacts[1].phone_number",
      "contacts[2].first_name",
      "contacts[2].tags",
      "list_name",
    ]);
    assert.equal((await upload([], { organization_id: `org_${NOBODY}` })).body.error, "Organization not found");
    assert.equal((await upload([], { user_id: "x" })).body.error, "User not found");
    assert.equal((await upload([], { tenant_id: `tnt_${NOBODY}` })).status, 403);
  });

  await t.test("a list of 100,001 contacts is a 413 that says how many it may have", async () => {
    const contacts = Array.from({ length: 100_001 }, () => ({}));
    const { status, body } = await upload(contacts);
    assert.equal(status, 413);
    assert.match(body.error, /100000/);
  });

  await t.test("a large list is stored whole", async () => {
    const mine = await anOwner(api);
    const contacts = Array.from({ length: 12_000 }, (_, i) => ({
      phone_number: `+1303${2_000_000 + ((i * 7919) % 12_000)}`,
      first_name: `N${i}`,
    }));
    const { status, body } = await upload(contacts, mine);
    assert.equal(status, 201);
    assert.equal(body.count, 12_000);
    assert.deepEqual(
      body.leads.map((lead: Lead) => lead.first_name),
      contacts.map((contact) => contact.first_name),
    );
    const { list } = (await api.get(`/v1/contacts/lists/${body.list_id}`)).body;
    assert.equal(list.count, 12_000);
  });

  await t.test("two lists of the same numbers, in opposite orders, do not wait for each other crosswise", async () => {
    const mine = await anOwner(api);
    const contacts = Array.from({ length: 3_000 }, (_, i) => ({ phone_number: `+1303${3_000_000 + i}` }));
    const both = await Promise.all([upload(contacts, mine), upload(contacts.toReversed(), mine)]);
    assert.deepEqual(
      both.map((answer) => [answer.status, answer.body.count]),
      [
        [201, 3_000],
        [201, 3_000],
      ],
    );
    const ids = both.map((answer) => new Set(answer.body.leads.map((lead: Lead) => lead.unique_id)));
    assert.equal(ids[0]!.union(ids[1]!).size, 3_000);
  });

  await t.test("a list under an Idempotency-Key is made once", async () => {
    const body = { list_name: "Once", ...(await anOwner(api)), contacts: [{ phone_number: "+12125550130" }] };
    const send = () => api.post("/v1/contacts/lists", body, { headers: { "idempotency-key": "list-1" } });
    const first = await send();
    assert.deepEqual((await send()).body, first.body);
    const { lists } = (await api.get(`/v1/contacts/lists?organization_id=${body.organization_id}`)).body;
    assert.equal(lists.length, 1);
  });

  await t.test("lists are listed by organization, and read with their contacts, page by page", async () => {
    const mine = await anOwner(api);
    const made = await upload(
      [1, 2, 3].map((n) => ({ phone_number: `+1212555011${n}` })),
      { ...mine, list_name: "Mine" },
    );
    const listed = await api.get(`/v1/contacts/lists?organization_id=${mine.organization_id}`);
    assert.equal(listed.body.lists.length, 1);
    const { created_at, ...list } = listed.body.lists[0];
    assert.ok(created_at);
    assert.deepEqual(list, { list_id: made.body.list_id, list_name: "Mine", ...mine, count: 3, line_lookup: null });
    assert.equal((await api.get("/v1/contacts/lists")).status, 400);

    const path = `/v1/contacts/lists/${made.body.list_id}`;
    const first = await api.get(`${path}/leads?limit=2`);
    const rest = await api.get(`${path}/leads?limit=2&pagination_key=${first.body.next_pagination_key}`);
    assert.deepEqual([...first.body.leads, ...rest.body.leads], made.body.leads.toReversed());
    assert.equal(rest.body.has_more, false);
  });

  await t.test("deleting a list keeps its contacts", async () => {
    const made = await upload([{ phone_number: "+12125550120" }]);
    const path = `/v1/contacts/lists/${made.body.list_id}`;
    assert.equal((await api.delete(path)).status, 200);
    for (const gone of [await api.get(path), await api.get(`${path}/leads`), await api.delete(path)]) {
      assert.equal(gone.status, 404);
      assert.equal(gone.body.error, "List not found");
    }
    assert.equal((await api.get(`/v1/contacts/leads/${made.body.leads[0].unique_id}`)).status, 200);
  });

  await t.test("contacts are found by phone number, in whatever form it is written", async () => {
    const lead = await one({ phone_number: "+12125550121", first_name: "Ed" });
    const find = (query: string) => api.get(`/v1/contacts/leads?organization_id=${owner.organization_id}${query}`);
    for (const form of ["%2B12125550121", "+12125550121", "(212)%20555-0121"]) {
      assert.deepEqual((await find(`&phone_number=${form}`)).body.leads, [{ ...lead, opted_out_at: null }], form);
    }
    assert.deepEqual((await find("&phone_number=%2B12125550122")).body.leads, []);
    assert.deepEqual(wrongFields(await find("&phone_number=5")), ["phone_number"]);
    assert.ok((await find("")).body.leads.some((other: Lead) => other.unique_id === lead.unique_id));
    assert.equal((await api.get("/v1/contacts/leads")).status, 400);
  });

  await t.test("contacts are found by the caller's own id, which several may have", async () => {
    const ann = await one({ phone_number: "+12125550141", external_id: "crm 7/1" });
    const other = await one({ phone_number: "+12125550142", external_id: "crm 7/1" });
    await one({ phone_number: "+12125550143", external_id: "crm 7/12" });
    const find = (query: string) => api.get(`/v1/contacts/leads?organization_id=${owner.organization_id}&${query}`);
    const { status, body } = await find("external_id=crm%207%2F1");
    assert.equal(status, 200);
    assert.deepEqual(
      body.leads.map((lead: Lead) => lead.unique_id),
      [other.unique_id, ann.unique_id],
    );
    const first = await find("external_id=crm%207%2F1&limit=1");
    const next = await find(`external_id=crm%207%2F1&limit=1&pagination_key=${first.body.next_pagination_key}`);
    assert.deepEqual([first.body.has_more, next.body.has_more], [true, false]);
    assert.deepEqual(next.body.leads, [body.leads[1]]);
    assert.deepEqual((await find("external_id=crm")).body.leads, []);
    for (const both of ["phone_number=%2B12125550141", "search=ann"]) {
      assert.equal(wrongFields(await find(`external_id=crm&${both}`)).length, 1, both);
    }
    // Another organization may have the same id and phone, as a contact of its own.
    const { unique_id } = (await api.post("/v1/organizations", { name: "Other" })).body;
    const there = await api.get(`/v1/contacts/leads?organization_id=${unique_id}&external_id=crm%207%2F1`);
    assert.deepEqual(there.body.leads, []);
  });

  await t.test("a patch changes the given fields, null clears one, the others stay", async () => {
    const lead = await one({ phone_number: "+12125550123", first_name: "Flo", city: "Reno", crd: "9" });
    const path = `/v1/contacts/leads/${lead.unique_id}`;
    const { status, body } = await api.patch(path, { city: null, first_name: "Florence", score: 3, unique_id: "mine" });
    assert.equal(status, 200);
    assert.equal(typeof body.message, "string");
    const { city: _, updated_at: __, ...kept } = lead;
    const { updated_at: ___, ...now } = body.lead;
    assert.deepEqual(now, { ...kept, first_name: "Florence", score: 3 });
    assert.deepEqual((await api.get(path)).body.lead, body.lead);
  });

  await t.test("a patch names every wrong field", async () => {
    const lead = await one({ phone_number: "+12125550124" });
    const path = `/v1/contacts/leads/${lead.unique_id}`;
    const wrong = await api.patch(path, {
      first_name: 5,
      npn: [],
      notes: "x".repeat(10_001),
      extra: {},
      phone_number: 1,
    });
    assert.equal(wrong.status, 400);
    assert.deepEqual(wrongFields(wrong).sort(), ["extra", "first_name", "notes", "npn", "phone_number"]);
    assert.deepEqual(wrongFields(await api.patch(path, { phone_number: "911", birthday: "2026-02-30" })).sort(), [
      "birthday",
      "phone_number",
    ]);
  });

  await t.test("a phone number can be changed, to one that no other contact has", async () => {
    const lead = await one({ phone_number: "+12125550125" });
    await one({ phone_number: "+12125550126" });
    const path = `/v1/contacts/leads/${lead.unique_id}`;
    assert.equal((await api.patch(path, { phone_number: "212 555 0127" })).body.lead.phone_number, "+12125550127");
    const taken = await api.patch(path, { phone_number: "+12125550126" });
    assert.equal(taken.status, 409);
    assert.equal((await api.get(path)).body.lead.phone_number, "+12125550127");
  });

  await t.test("a contact that is not there is `Contact not found`", async () => {
    for (const id of [`lead_${NOBODY}`, "x", owner.organization_id]) {
      const path = `/v1/contacts/leads/${id}`;
      for (const answer of [await api.get(path), await api.patch(path, { city: "Reno" }), await api.delete(path)]) {
        assert.equal(answer.status, 404);
        assert.equal(answer.body.error, "Contact not found");
        assert.equal(answer.body.success, false);
        assert.equal(answer.body.powered_by, "Parley");
      }
    }
  });

  await t.test("a deleted contact is gone from everywhere, and its phone is free for a new one", async () => {
    const made = await upload([{ phone_number: "+12125550128", first_name: "Gus" }, { phone_number: "+12125550129" }]);
    const gus = made.body.leads[0];
    const path = `/v1/contacts/leads/${gus.unique_id}`;
    assert.equal((await api.delete(path)).status, 200);
    assert.equal((await api.get(path)).status, 404);
    assert.equal((await api.patch(path, { city: "Reno" })).status, 404);
    const { list } = (await api.get(`/v1/contacts/lists/${made.body.list_id}`)).body;
    assert.equal(list.count, 1);
    const members = await api.get(`/v1/contacts/lists/${made.body.list_id}/leads`);
    assert.deepEqual(members.body.leads, [made.body.leads[1]]);
    const all = await api.get(`/v1/contacts/leads?organization_id=${owner.organization_id}&limit=500`);
    assert.ok(
      !all.body.leads.some((lead: Lead) => lead.unique_id === gus.unique_id || lead.phone_number === "+12125550128"),
    );
    const fresh = await one({ phone_number: "+12125550128" });
    assert.notEqual(fresh.unique_id, gus.unique_id);
    assert.equal("first_name" in fresh, false);
  });
});
