import assert from "node:assert/strict";
import { test } from "node:test";
import { contractNames } from "#test/support/source/contract-names.ts";
import { auditContent } from "./audit.ts";
import { isSecret, LEFT_OUT, LIKE_SECRET, NO_SECRETS, SECRET_FIELDS } from "./audit-secrets.ts";

test("every field of a contract that is named like a secret is left out, or is said to be none", async () => {
  const names = [...(await contractNames()).keys()];
  const like = names.filter((name) => LIKE_SECRET.test(name));
  const undecided = like.filter((name) => !SECRET_FIELDS.includes(name) && !(name in NO_SECRETS));

  assert.deepEqual(undecided, [], "put each into SECRET_FIELDS, or into NO_SECRETS with the reason");
  assert.deepEqual(
    Object.keys(NO_SECRETS).filter((name) => !names.includes(name)),
    [],
  );
});

test("a secret is left out wherever it stands, also one that no contract has yet", () => {
  const after = { name: "A", credentials: { auth_token: "s3cret" }, deep: [{ hook: { signing_secret: "s3cret" } }] };
  const { content } = auditContent({ before: null, after }, { password: "s3cret" }, () => Buffer.alloc(16));

  assert.doesNotMatch(JSON.stringify(content), /s3cret/);
  assert.deepEqual(content.after, { name: "A", credentials: LEFT_OUT, deep: [{ hook: { signing_secret: LEFT_OUT } }] });
  assert.equal(isSecret("next_pagination_key", "abc"), false);
  assert.equal(isSecret("input_tokens", 12), false);
});
