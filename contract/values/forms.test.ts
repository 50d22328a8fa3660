import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Type } from "typebox";
import { formOf } from "./forms.ts";
import { validator } from "./validate.ts";

const CONTRACT = join(import.meta.dirname, "..");

/** All patterns of string values in a schema, at any depth. */
function patternsIn(value: unknown, found: Set<string>, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  const { type, pattern } = value as { type?: unknown; pattern?: unknown };
  if (type === "string" && typeof pattern === "string") found.add(pattern);
  for (const each of Object.values(value)) patternsIn(each, found, seen);
}

test("each pattern of the contract is said in words where a value does not have its form", async () => {
  const patterns = new Set<string>();
  for (const file of globSync("**/*.ts", { cwd: CONTRACT, exclude: (name) => name.endsWith(".test.ts") })) {
    if (!file.endsWith(".test.ts")) patternsIn({ ...(await import(join(CONTRACT, file))) }, patterns);
  }
  assert.ok(patterns.size > 10, `${patterns.size} patterns`);
  assert.deepEqual(
    [...patterns].filter((pattern) => formOf(pattern) === undefined),
    [],
  );
});

test("a value of a wrong form is answered with the right one", () => {
  const schema = Type.Object({ area_code: Type.String({ pattern: "^\\d{3}$" }) });
  assert.deepEqual(validator(schema, "body")({ area_code: "12" }), [
    { field: "area_code", message: "must be 3 digits" },
  ]);
});
