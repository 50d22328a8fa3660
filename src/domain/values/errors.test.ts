import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  AppError,
  ERRORS,
  type ErrorCode,
  invalid,
  invalidField,
  missingScope,
  notFound,
  rateLimited,
  unauthorized,
} from "./errors.ts";

const codes = Object.keys(ERRORS) as ErrorCode[];

test("docs/errors.md lists exactly the catalogue: code, status, meaning", () => {
  const text = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const documented = text.split("\n").filter((line) => line.startsWith("| `"));

  assert.deepEqual(
    documented,
    codes.map((code) => `| \`${code}\` | ${ERRORS[code].status} | ${ERRORS[code].meaning} |`),
  );
});

test("every code is a snake_case word with an error status and a sentence", () => {
  for (const code of codes) {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(ERRORS[code].status >= 400 && ERRORS[code].status < 600, code);
    assert.match(ERRORS[code].meaning, /^[A-Z`].*\.$/, code);
  }
});

test("an error carries the status of its code", () => {
  for (const code of codes) assert.equal(new AppError(code, "x").status, ERRORS[code].status);
});

test("a wrong request names every field, and makes its sentence of the first", () => {
  const error = invalid(
    { field: "name", message: "is required" },
    { field: "contacts[3].phone_number", message: "is not a phone number" },
  );

  assert.equal(error.code, "invalid_request");
  assert.equal(error.message, "name is required (and 1 more, see details)");
  assert.equal(error.details?.length, 2);
  assert.equal(invalidField("name", "is required").message, "name is required");
});

test("the texts that the interface fixes are those", () => {
  assert.equal(unauthorized("revoked").message, "Invalid API key");
  assert.equal(notFound("Contact").message, "Contact not found");
  assert.equal(missingScope("send").status, 403);
  assert.equal(rateLimited(3).retryAfterSeconds, 3);
});
