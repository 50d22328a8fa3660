import assert from "node:assert/strict";
import { test } from "node:test";
import { BODY_FIELDS, BODY_LEFT_OUT } from "#contract/accounts/audited-bodies.ts";
import { NOT_AUDITED } from "#contract/accounts/not-audited.ts";
import { contractOperations } from "#test/support/source/contract-names.ts";
import { keptBody, keptFields } from "./audit-body.ts";
import { LEFT_OUT } from "./audit-secrets.ts";

type Shape = { properties?: Record<string, Shape>; anyOf?: Shape[]; items?: Shape; type?: string };

/** Every field of a body without fields of its own, by its path. */
function pathsOf({ properties = {}, anyOf = [], items, type }: Shape, at: string, found: Set<string>): Set<string> {
  const parts = [...anyOf, ...(items ? [items] : [])].filter((part) => part.type !== "null");
  for (const part of parts) pathsOf(part, at, found);
  for (const [name, schema] of Object.entries(properties)) pathsOf(schema, at === "" ? name : `${at}.${name}`, found);
  if (at !== "" && parts.length + Object.keys(properties).length === 0 && type !== "null") found.add(at);
  return found;
}

test("each field of each operation's body is kept in the audit log, or left out, by somebody's decision", async () => {
  const wrong: string[] = [];
  const operations = (await contractOperations()).filter(({ body, method }) => body && method !== "GET");
  for (const { id, body } of operations.filter((operation) => !(operation.id in NOT_AUDITED))) {
    const fields = BODY_FIELDS[id];
    const paths = pathsOf(body as Shape, "", new Set());
    paths.delete("tenant_id");
    if (fields && id in BODY_LEFT_OUT) wrong.push(`${id}: in both tables`);
    if (!fields && !(id in BODY_LEFT_OUT) && paths.size > 0) wrong.push(`${id}: in neither table`);
    if (!fields) continue;
    const decided = `${fields.kept} ${fields.leftOut ?? ""}`.split(/\s+/).filter(Boolean);
    for (const path of paths) if (!decided.includes(path)) wrong.push(`${id}: ${path}`);
    for (const path of decided) if (!paths.has(path)) wrong.push(`${id}: ${path} is in no body`);
    if (new Set(decided).size < decided.length) wrong.push(`${id}: a field is there twice`);
  }
  const known = operations.map(({ id }) => id);
  const gone = Object.keys({ ...BODY_FIELDS, ...BODY_LEFT_OUT }).filter((id) => !known.includes(id));
  assert.deepEqual([wrong, gone], [[], []], "decide in contract/accounts/audited-bodies.ts");
});

test("what is not named is not kept, at any depth, and a kept field takes nothing in with it", () => {
  const fields = keptFields("name hours.days steps.text tags");
  const body = {
    ...{ name: "A", secret: "s", tags: ["a", 1], constructor: "c" },
    hours: { days: [1], note: "n" },
    steps: [{ text: "t", to: "x" }, { to: "x" }],
  };
  assert.deepEqual(keptBody(body, fields), {
    ...{ name: "A", tags: ["a", 1], hours: { days: [1] } },
    steps: [{ text: "t" }, LEFT_OUT],
  });
  assert.deepEqual(keptBody({ hours: null, name: { first: "A" } }, fields), { hours: null });
  assert.equal(keptBody({ secret: "s" }, fields), undefined);
  assert.equal(keptBody("text", fields), undefined);
});
