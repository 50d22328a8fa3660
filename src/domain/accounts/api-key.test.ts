import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 as zlibCrc32 } from "node:zlib";
import { allowedAddresses, keyText, readKey, refuseGrant, SECRET_BYTES } from "./api-key.ts";
import { crc32, isMistyped, KEY_PATTERN, keyChecksum } from "./key-checksum.ts";

const lookup = "01jd0000000000000000000000";
const none = () => "fallback";

test("a key's text has 43 characters of secret and is read back by its id", () => {
  const text = keyText("test", lookup, new Uint8Array(SECRET_BYTES).fill(255));
  const before = `pk_test_${lookup}_${"_".repeat(42)}8`;
  assert.equal(text, `${before}${keyChecksum(before)}`);
  assert.match(text, KEY_PATTERN);
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

test("a scope in one area is within the scope everywhere, and not the other way round", () => {
  const of = (...scopes: string[]) => ({ mode: "live", scopes }) as const;
  refuseGrant(of("read"), of("read", "contacts:read"));
  refuseGrant(of("contacts:read"), of("contacts:read"));
  for (const wanted of ["read", "calls:read", "contacts:write"]) {
    assert.throws(() => refuseGrant(of("contacts:read"), of(wanted)), { code: "missing_scope" }, wanted);
  }
});

test("who is bound to addresses makes keys for no others", () => {
  const bound = { allowedAddresses: ["203.0.113.0/24"] };
  assert.equal(allowedAddresses({}, undefined), null);
  assert.deepEqual(allowedAddresses({}, ["::/0"]), ["::/0"]);
  assert.deepEqual(allowedAddresses(bound, undefined), ["203.0.113.0/24"]);
  assert.deepEqual(allowedAddresses(bound, ["203.0.113.7"]), ["203.0.113.7"]);
  assert.throws(() => allowedAddresses(bound, ["203.0.112.0/23"]), { code: "address_refused" });
  assert.throws(() => allowedAddresses({}, ["::1", "office"]), /^AppError: allowed_addresses\[1\] must be an address/);
});

test("a checksum finds every changed character, without the service", () => {
  const key = keyText(
    "live",
    lookup,
    Uint8Array.from({ length: SECRET_BYTES }, (_, i) => i * 7),
  );
  assert.ok(!isMistyped(key));
  for (let i = 8; i < key.length; i++) {
    const wrong = `${key.slice(0, i)}${key[i] === "a" ? "b" : "a"}${key.slice(i + 1)}`;
    if (KEY_PATTERN.test(wrong)) assert.ok(isMistyped(wrong), `${i}`);
  }
  // What is no key of this form, as one of before there were checksums, is not mistyped.
  assert.ok(!isMistyped(key.slice(0, -6)));
  assert.ok(!isMistyped("pk_live_my-own-key"));
  for (const text of ["", "a", "123456789", key]) assert.equal(crc32(text), zlibCrc32(text), text);
});
