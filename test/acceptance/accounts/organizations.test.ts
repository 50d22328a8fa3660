import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley } from "#test/support/api/parley.ts";

test("organizations", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const create = (body: object) => api.post("/v1/organizations", body);
  const list = async (query = "") => (await api.get(`/v1/organizations${query}`)).body;

  await t.test("an organization is created with its id and name", async () => {
    const { status, body } = await create({ name: "Acme", contact_email: "a@acme.example" });
    assert.equal(status, 201);
    const { unique_id, ...rest } = body;
    assert.match(unique_id, /^org_[0-9a-hjkmnp-tv-z]{26}$/);
    assert.deepEqual(rest, { success: true, organization_name: "Acme", powered_by: "Parley" });
  });

  await t.test("a name is needed, and an e-mail address has to be one", async () => {
    for (const body of [{}, { name: "" }, { name: " " }, { name: null }, { name: 5 }, { name: "x".repeat(10_000) }]) {
      const answer = await create(body);
      assert.deepEqual([answer.status, wrongFields(answer)], [400, ["name"]], JSON.stringify(body).slice(0, 40));
    }
    assert.deepEqual(wrongFields(await create({ name: "A", contact_email: "nobody" })), ["contact_email"]);
  });

  await t.test("an organization is read back", async () => {
    const { unique_id } = (await create({ name: "Bolt", contact_email: "b@bolt.example" })).body;
    const { status, body } = await api.get(`/v1/organizations/${unique_id}`);
    assert.equal(status, 200);
    const { created_at, ...rest } = body.organization;
    assert.match(created_at, /^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/);
    assert.deepEqual(rest, {
      unique_id,
      organization_name: "Bolt",
      contact_email: "b@bolt.example",
      archived_at: null,
    });
  });

  await t.test("one that is not there is a 404", async () => {
    for (const id of ["org_00000000000000000000000000", "usr_00000000000000000000000000", "x"]) {
      const { status, body } = await api.get(`/v1/organizations/${id}`);
      assert.deepEqual([status, body.error], [404, "Organization not found"], id);
    }
  });

  await t.test("they are listed newest first, by name, and in pages", async () => {
    for (const name of ["Page 1", "Page 2", "Page 3"]) await create({ name });
    const first = await list("?limit=2");
    const names = (page: { organizations: { organization_name: string }[] }) =>
      page.organizations.map((organization) => organization.organization_name);
    assert.deepEqual([names(first), first.count, first.has_more], [["Page 3", "Page 2"], 2, true]);
    const second = await list(`?limit=2&pagination_key=${first.next_pagination_key}`);
    assert.equal(names(second)[0], "Page 1");
    assert.deepEqual(names(await list("?name=Page%202")), ["Page 2"]);
  });
});
