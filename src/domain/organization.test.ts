import assert from "node:assert/strict";
import { test } from "node:test";
import { isNamedIn } from "./organization.ts";

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
