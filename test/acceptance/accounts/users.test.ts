import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { startParley } from "#test/support/api/parley.ts";

test("users of an organization", async (t) => {
  const api = await startParley(t);
  const { organization_id } = await anOwner(api);
  const users = `/v1/organizations/${organization_id}/users`;

  await t.test("a user is a manager by default", async () => {
    const made = await api.post(users, { name: "Bo", email: "bo@acme.example" });
    assert.equal(made.status, 201);
    assert.equal(made.body.success, true);
    assert.match(made.body.unique_id, /^usr_[0-9a-z]{26}$/);
    assert.equal(made.body.name, "Bo");
    assert.equal(made.body.permission, "manager");
    assert.equal(made.body.powered_by, "Parley");
    const admin = await api.post(users, { name: "Cy", email: "cy@acme.example", permission: "admin" });
    assert.equal(admin.body.permission, "admin");
  });

  await t.test("missing and wrong fields are named, all of them", async () => {
    const empty = await api.post(users, {});
    assert.equal(empty.status, 400);
    assert.deepEqual(wrongFields(empty), ["name", "email"]);
    const wrong = await api.post(users, { name: " ", email: "nobody", permission: "owner" });
    assert.deepEqual(wrongFields(wrong).sort(), ["email", "name", "permission"]);
  });

  await t.test("an e-mail address is one user's of the tenant, whatever its case", async () => {
    await api.post(users, { name: "Di", email: "di@acme.example" });
    const other = await anOwner(api);
    const again = await api.post(`/v1/organizations/${other.organization_id}/users`, {
      name: "Di",
      email: "DI@acme.example",
    });
    assert.equal(again.status, 409);
    assert.equal(again.body.code, "conflict");
  });

  await t.test("an organization that is not there has no users", async () => {
    for (const id of ["org_00000000000000000000000000", "nonsense", organization_id.replace("org_", "usr_")]) {
      const made = await api.post(`/v1/organizations/${id}/users`, { name: "Ed", email: "ed@acme.example" });
      assert.equal(made.status, 404);
      assert.equal(made.body.error, "Organization not found");
      assert.equal((await api.get(`/v1/organizations/${id}/users`)).status, 404);
    }
  });

  await t.test("users are listed newest first, in pages", async () => {
    const all = await api.get(users);
    assert.equal(all.status, 200);
    const names = all.body.users.map((user: { name: string }) => user.name);
    assert.deepEqual(names, ["Di", "Cy", "Bo", "Ann"]);
    assert.equal(all.body.count, 4);
    assert.equal(all.body.has_more, false);
    const first = await api.get(`${users}?limit=3`);
    assert.equal(first.body.has_more, true);
    const rest = await api.get(`${users}?limit=3&pagination_key=${first.body.next_pagination_key}`);
    assert.deepEqual(
      [...first.body.users, ...rest.body.users].map((user: { name: string }) => user.name),
      names,
    );
    assert.equal(rest.body.next_pagination_key, null);
    assert.equal((await api.get(`${users}?limit=501`)).status, 400);
  });
});
