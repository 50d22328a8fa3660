import assert from "node:assert/strict";
import { test } from "node:test";
import { domainOf, groupsOf, saysSecondFactor, standingOf } from "./identity-provider.ts";

const RULES = {
  groups_claim: "groups",
  group_roles: [
    { group: "sales", permission: "agent", organization_ids: ["a"] },
    { group: "leads", permission: "manager", organization_ids: ["b", "a"] },
    { group: "it", permission: "admin", organization_ids: [] },
  ],
  permission: "viewer",
  organization_ids: ["c"],
} as const;

test("somebody has the highest role of the groups, in the organizations of all of them", () => {
  assert.deepEqual(standingOf(RULES, ["sales", "leads", "others"]), {
    permission: "manager",
    organizationIds: ["a", "b"],
  });
  assert.deepEqual(standingOf(RULES, ["it"]), { permission: "admin", organizationIds: ["c"] });
});

test("without a group that counts somebody is what all of the provider are, or nobody", () => {
  assert.deepEqual(standingOf(RULES, ["others"]), { permission: "viewer", organizationIds: ["c"] });
  assert.equal(standingOf({ ...RULES, permission: null }, ["others"]), undefined);
  assert.equal(standingOf({ ...RULES, permission: null }, ["sales"])?.permission, "agent");
});

test("groups are a list of texts or one text, and nothing else is one", () => {
  assert.deepEqual(groupsOf({ groups: ["a", 1, null, { b: "c" }, "d"] }, "groups"), ["a", "d"]);
  assert.deepEqual(groupsOf({ groups: "a" }, "groups"), ["a"]);
  for (const groups of [undefined, 1, {}, null]) assert.deepEqual(groupsOf({ groups }, "groups"), []);
  assert.deepEqual(groupsOf({ groups: ["a"] }, null), []);
  assert.deepEqual(groupsOf({ groups: ["a"] }, "roles"), []);
});

test("a second factor counts where the provider names it by a value that means it", () => {
  assert.equal(saysSecondFactor({ amr: ["pwd", "mfa"] }), true);
  assert.equal(saysSecondFactor({ acr: "phr" }), true);
  for (const claims of [{}, { amr: ["pwd"] }, { amr: "mfa" }, { amr: ["otp"] }, { acr: "0" }, { acr: null }])
    assert.equal(saysSecondFactor(claims), false, JSON.stringify(claims));
});

test("the domain of an address is what follows its last @", () => {
  assert.equal(domainOf("Ann@Acme.Example"), "acme.example");
  assert.equal(domainOf('"a@evil.example"@acme.example'), "acme.example");
});
