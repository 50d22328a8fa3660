import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict, failure, invalidField, notFound } from "./errors.ts";
import { detailsOf, rethrowNamed } from "./named-fault.ts";

test("a 404 names the field of the request that has the id, and the id", () => {
  const parts = [{ agent_id: "agt_1" }, {}, { organization_id: "org_1", organization_ids: ["org_2", "org_3"] }];
  assert.deepEqual(detailsOf(notFound("Agent"), parts), [{ field: "agent_id", message: "not found: agt_1" }]);
  assert.deepEqual(detailsOf(notFound("Organization"), parts), [
    { field: "organization_id", message: "not found: org_1" },
  ]);
  const ofMany = [{}, {}, { organization_ids: ["org_2", "org_3"] }];
  assert.deepEqual(detailsOf(notFound("Organization"), ofMany), [
    { field: "organization_ids", message: "not found: org_2, org_3" },
  ]);
  const from = [{}, {}, { campaign_id: "new", from_campaign: { campaign_id: "old" } }];
  assert.deepEqual(detailsOf(notFound("Campaign", "from_campaign.campaign_id"), from), [
    { field: "from_campaign.campaign_id", message: "not found: old" },
  ]);
});

test("a 409 names the field it is about, else what the path names", () => {
  const parts = [{ org_id: "org_1", call_id: "call_1" }, {}, { email: "ann@example.com" }];
  assert.deepEqual(detailsOf(conflict("A user with this email exists", "email"), parts), [
    { field: "email", message: "A user with this email exists: ann@example.com" },
  ]);
  assert.deepEqual(detailsOf(failure("conflict", "The call is over"), parts), [
    { field: "call_id", message: "The call is over: call_1" },
  ]);
});

test("what has no such field, a long one or one that is no text has no details, and other errors keep theirs", () => {
  for (const body of [undefined, null, "text", new Uint8Array(3), {}, { list_id: "x".repeat(201) }, { list_id: {} }]) {
    assert.equal(detailsOf(notFound("List"), [{}, {}, body]), undefined);
  }
  const wrong = invalidField("name", "is required");
  assert.deepEqual(detailsOf(wrong, [{ name: "x" }]), [{ field: "name", message: "is required" }]);
  assert.equal(detailsOf(failure("session_required", "Sign in"), [{ call_id: "call_1" }]), undefined);
});

test("where the body is read apart from the request its errors are given their details there", () => {
  const thrown = (error: unknown) => () => rethrowNamed(error, { user_id: "usr_1" });
  assert.throws(thrown(notFound("User")), { details: [{ field: "user_id", message: "not found: usr_1" }] });
  const [other, ofPath] = [new Error("other"), failure("conflict", "The call is over")];
  assert.throws(thrown(other), other);
  assert.throws(thrown(ofPath), ofPath);
});

test("a phone number is not said again, however it was written", () => {
  const parts = [{ lead_id: "lead_1" }, {}, { phone_number: "(212) 555-2000" }];
  assert.deepEqual(detailsOf(conflict("Another contact has this phone_number", "phone_number"), parts), [
    { field: "phone_number", message: "Another contact has this phone_number" },
  ]);
});
