import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PERMISSIONS_DOC, permissionsPage } from "../scripts/permissions-table.ts";

test("docs/permissions.md has each operation with who may call it, as the contract says", async () => {
  const page = readFileSync(PERMISSIONS_DOC, "utf8");
  assert.equal(page, await permissionsPage(), "write it anew: node scripts/run.mjs scripts/permissions-table.ts");
  assert.ok(page.split("\n| `").length > 140);
});
