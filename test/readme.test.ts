import assert from "node:assert/strict";
import { test } from "node:test";
import { CARRIER_FIELDS } from "#contract/numbers/carriers.ts";
import { readText } from "#test/support/source/source.ts";
import { everyOperation } from "../scripts/permissions-table.ts";

const README = readText("README.md");

/** What a row of a table says in its second column. */
function said(row: string): string {
  const line = README.split("\n").find((one) => one.startsWith(`| ${row} |`));
  assert.ok(line !== undefined, `the README has no row "${row}"`);
  return line.split("|")[2]!.trim();
}

test("the README names every kind of carrier account where it says how real phones are reached", () => {
  const reached = `${said("SMS")} ${said("Calls")}`.toLowerCase();
  assert.deepEqual(
    Object.keys(CARRIER_FIELDS).filter((kind) => !reached.includes(kind)),
    [],
  );
  for (const row of ["Texts real phones", "Calls real phones"]) assert.doesNotMatch(said(row), /\bno\b/);
});

/** Features that the README says are missing, and the paths of operations that would make that untrue. */
const MISSING: Readonly<Record<string, RegExp>> = {
  "Tools that the agent calls in a conversation": /\/tools\b/,
  "Webhooks to your servers": /^\/v1\/webhooks\b/,
};

test("the README says that a feature is missing as long as no operation has it, and no longer", async () => {
  const paths = (await everyOperation()).map(({ path }) => path);
  for (const [row, path] of Object.entries(MISSING))
    assert.equal(/\*\*no\*\*/.test(said(row)), !paths.some((one) => path.test(one)), row);
});
