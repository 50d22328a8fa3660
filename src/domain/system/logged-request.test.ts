import assert from "node:assert/strict";
import { test } from "node:test";
import { classOf, maskedAnswer, maskedPath } from "./logged-request.ts";

test("a telephone number in a path is masked, however it is written", () => {
  assert.equal(maskedPath("/v1/sms/threads/%2B12125550101_spring"), "/v1/sms/threads/***01_spring");
  assert.equal(maskedPath("/v1/consents/+12125550101"), "/v1/consents/***01");
  assert.equal(maskedPath("/v1/consents/2125550101"), "/v1/consents/***01");
});

test("a query keeps its names, and the values of those that say nothing of anybody", () => {
  assert.equal(
    maskedPath("/v1/contacts/leads?limit=10&search=Ann%20Lee&phone_number=%2B12125550101"),
    "/v1/contacts/leads?limit=10&search=***&phone_number=***",
  );
  assert.equal(maskedPath("/v1/campaigns?organization_id=org_1&status"), "/v1/campaigns?organization_id=org_1&status");
});

test("an id stays as it is, and what is too long is cut", () => {
  const path = "/v1/agents/agt_01kar3q8w2e4r5t6y7m8p9a0bc";
  assert.equal(maskedPath(path), path);
  assert.equal(maskedPath(`/v1/${"a".repeat(1_000)}`).length, 500);
});

test("an answer is cut at 2 kB and has no number", () => {
  assert.equal(maskedAnswer('{"error":"+12125550101 has opted out"}'), '{"error":"***01 has opted out"}');
  assert.equal(maskedAnswer('{"message":"exists: ann.lee@example.com"}'), '{"message":"exists: ***"}');
  assert.equal(maskedAnswer("x".repeat(5_000)).length, 2_048);
});

test("what changed something is apart from what was read, and from what failed", () => {
  assert.equal(classOf({ method: "GET", scope: "admin" }, 200), "read");
  assert.equal(classOf({ method: "POST", scope: "read" }, 200), "read", "a preflight");
  assert.equal(classOf({ method: "GET", scope: "read" }, 404), "failed_read");
  assert.equal(classOf({ method: "DELETE", scope: "write" }, 200), "change");
  assert.equal(classOf({ method: "POST", scope: "send" }, 202), "change");
  assert.equal(classOf({ method: "POST", scope: "send" }, 400), "failed_change");
  assert.equal(classOf({ method: "POST", scope: "admin" }, 201), "administration");
  assert.equal(classOf({ method: "POST", scope: "admin" }, 403), "failed_change");
  assert.equal(classOf({ method: "POST", scope: "read", caller: "person" }, 200), "administration", "a password");
});
