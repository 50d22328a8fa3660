import assert from "node:assert/strict";
import { test } from "node:test";
import { isNamedIn, refuseForeign } from "./organization.ts";

test("a text names an organization as people say its name", () => {
  for (const text of ["It's Ava from ACME Homes.", "Ava, Acme Homes' assistant", "Acme Homes's own", "acme homes here"])
    assert.equal(isNamedIn("Acme Homes, Inc.", text), true, text);
  for (const text of ["Hi, this is Ava.", "Acme here", "Acmehomes", ""])
    assert.equal(isNamedIn("Acme Homes, Inc.", text), false, text);
  assert.equal(isNamedIn("Muller and Co", "Müller & Co calling"), false);
  assert.equal(isNamedIn("Müller GmbH", "Hier ist Müller"), true);
  assert.equal(isNamedIn("株式会社", "株式会社です"), true);
  assert.equal(isNamedIn("株式会社", "Hello"), false);
});

test("what belongs to another organization is refused by its field, and a user of several is each one's", () => {
  const [a, b] = ["a", "b"];
  const uma = { organization_id: a, organization_ids: [a, b] };
  for (const organization of [a, b]) assert.doesNotThrow(() => refuseForeign(organization, { user_id: uma }));
  assert.throws(() => refuseForeign(b, { user_id: uma, sms_agent_id: { organization_id: a } }), {
    details: [{ field: "sms_agent_id", message: "belongs to another organization than organization_id" }],
  });
});
