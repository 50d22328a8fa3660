import assert from "node:assert/strict";
import { test } from "node:test";
import { shownAddress } from "./shown-address.ts";

test("an address is shown without its user info and its query, and what is no address as it is", () => {
  for (const [address, shown] of [
    ["https://user:secret@other.example:8443/a/b?key=secret#secret", "https://other.example:8443/a/b"],
    ["https://other.example", "https://other.example/"],
    ["APa1", "APa1"],
    ["user:secret@other example/a?key=secret", "other example/a"],
    ["", ""],
  ] as const)
    assert.equal(shownAddress(address), shown);
});
