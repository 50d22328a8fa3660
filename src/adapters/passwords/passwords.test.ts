import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { PasswordsBusy } from "#ports/sign-in.ts";
import { argon2Passwords } from "./passwords.ts";

const passwords = argon2Passwords("password\nqwerty\n");
const STRANGER = { line: "198.51.100.1", isKnown: false };

test("a password matches its own hash, and no other does", async () => {
  const kept = await passwords.hash("correct horse battery");
  assert.match(kept, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await passwords.matches("correct horse battery", kept, STRANGER), true);
  assert.equal(await passwords.matches("correct horse batterY", kept, STRANGER), false);
  assert.notEqual(await passwords.hash("correct horse battery"), kept, "each has a salt of its own");
});

test("where there is no hash, nothing matches", async () => {
  assert.equal(await passwords.matches("", undefined, STRANGER), false);
  assert.equal(await passwords.matches("correct horse battery", undefined, STRANGER), false);
});

test("what was made at another cost is still read", async () => {
  const salt = Buffer.from("somesaltsomesalt");
  const hash = argon2Sync("argon2id", {
    message: "x",
    nonce: salt,
    memory: 64,
    passes: 1,
    parallelism: 1,
    tagLength: 32,
  });
  const text = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  assert.equal(await passwords.matches("x", `$argon2id$v=19$m=64,t=1,p=1$${text(salt)}$${text(hash)}`, STRANGER), true);
});

test("of too many at once the last are turned away, and the others are done", async () => {
  const all = await Promise.allSettled(Array.from({ length: 70 }, () => passwords.matches("x", undefined, STRANGER)));
  const refused = all.filter((result) => result.status === "rejected");
  assert.equal(refused.length, 36, "two are looked at, 32 wait");
  assert.ok(refused.every((result) => result.reason instanceof PasswordsBusy));
  assert.equal(await passwords.matches("x", await passwords.hash("x"), STRANGER), true, "and then it is as before");
});

test("the list of common words is read", () => assert.deepEqual([...passwords.common], ["password", "qwerty"]));
