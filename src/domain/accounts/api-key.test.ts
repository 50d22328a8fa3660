import assert from "node:assert/strict";
import { test } from "node:test";
import { keyText, readKey, refuseGrant, SECRET_BYTES } from "./api-key.ts";

const lookup = "01jd0000000000000000000000";
const none = () => "fallback";

test("a key's text has 43 characters of secret and is read back by its id", () => {
  const text = keyText("test", lookup, new Uint8Array(SECRET_BYTES).fill(255));
  assert.equal(text, `pk_test_${lookup}_${"_".repeat(42)}8`);
  assert.deepEqual(readKey(text, none), { mode: "test", lookup });
});

test("an operator's own key has no id and is found by its digest", () => {
  assert.deepEqual(readKey("pk_live_my-own-key", none), { mode: "live", lookup: "fallback" });
  for (const text of ["", "pk_other_x", "pk_test_", "pk_test_with space", `pk_test_${"a".repeat(201)}`]) {
    assert.equal(readKey(text, none), undefined, text);
  }
});

test("nobody hands out more than he has", () => {
  const live = { mode: "live", scopes: ["read", "admin"] } as const;
  refuseGrant(live, { mode: "live", scopes: ["read"] });
  refuseGrant(live, { mode: "test", scopes: ["admin", "read"] });
  assert.throws(() => refuseGrant(live, { mode: "test", scopes: ["read", "send"] }), { code: "missing_scope" });
  assert.throws(() => refuseGrant({ ...live, mode: "test" }, { mode: "live", scopes: [] }), {
    code: "live_key_required",
  });
});
