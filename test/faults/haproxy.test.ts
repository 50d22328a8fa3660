import assert from "node:assert/strict";
import { test } from "node:test";
import { haproxyHere } from "#test/support/database/patroni.ts";

test("HAProxy as it is delivered is tried with no address that is not this machine's", () => {
  const members = ["database-1", "database-2"].map((name, at) => ({ name, port: 1_000 + at, rest: 2_000 + at }));
  const lines = haproxyHere({ primary: 3_000, copies: 3_001 }, members).split("\n");
  const addressed = lines.filter((line) => /^\s*(bind|server) /.test(line));
  assert.equal(addressed.length, 6);
  assert.deepEqual(
    addressed.filter((line) => !line.includes(" 127.0.0.1:")),
    [],
  );
});
