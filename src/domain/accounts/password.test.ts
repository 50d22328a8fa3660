import assert from "node:assert/strict";
import { test } from "node:test";
import { normalPassword, passwordProblem } from "./password.ts";

const COMMON = new Set(["password", "qwerty", "letmein", "123456789012", "iloveyou"]);
const problem = (password: string, email = "ann@acme.example") => passwordProblem(password, email, COMMON);

test("a password has 12 to 128 characters, as people count them", () => {
  assert.match(problem("short enuf1")!, /12 to 128/);
  assert.equal(problem("long enough1"), undefined);
  assert.match(problem(`${"correct horse ".repeat(10)}`)!, /12 to 128/);
  assert.match(problem("😀🙂🐴🔋📎🎺")!, /12 to 128/, "six characters, though twelve code units");
});

test("the commonest are refused, with digits and signs around them, in any case, and twice over", () => {
  for (const common of [
    "123456789012",
    "Password1234",
    "password!!2026",
    "passwordpassword",
    "qwertyqwerty",
    "QwErTy-123456",
    "aaaaaaaaaaaa",
    "ababababababab",
  ]) {
    assert.match(problem(common) ?? common, /commonest/);
  }
  assert.equal(problem("password of my dog"), undefined);
});

test("the e-mail address is no password, nor what stands before its @", () => {
  assert.match(problem("Ann@acme.example")!, /e-mail/);
  assert.match(problem("bartholomew.b", "Bartholomew.B@acme.example")!, /e-mail/);
});

test("one password is one, however its letters come", () => {
  assert.equal(normalPassword("cafe\u0301 del mar 9"), normalPassword("caf\u00e9 del mar 9"));
});
