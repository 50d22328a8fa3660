import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { TObject } from "typebox";
import { validator } from "#contract/values/validate.ts";
import { EVENT_DATA, EVENT_KINDS } from "./events.ts";

const page = readFileSync(new URL("../../docs/events.md", import.meta.url), "utf8");
const fieldsOf = (kind: (typeof EVENT_KINDS)[number]) => Object.keys((EVENT_DATA[kind] as TObject).properties);

test("docs/events.md has each kind of event once: when it comes, and every field of its data", () => {
  const rows = page.split("\n").filter((line) => /^\| `[a-z_]+\.[a-z_]+` \|/.test(line));
  const documented = rows.map((row) => row.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));
  assert.deepEqual(
    documented.map(([kind, , fields]) => [kind, fields]),
    EVENT_KINDS.map((kind) => [
      `\`${kind}\``,
      fieldsOf(kind)
        .map((field) => `\`${field}\``)
        .join(" "),
    ]),
  );
  for (const [kind, when] of documented) assert.match(when!, /^[A-Z].{5,}/, kind);
});

test("docs/events.md has an example of each kind, as the contract describes it", () => {
  const [, block = ""] = /```jsonl\n([^`]*)```/.exec(page) ?? [];
  const examples = block
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string; data: object });
  assert.deepEqual(
    examples.map(({ kind, data }) => [kind, Object.keys(data)]),
    EVENT_KINDS.map((kind) => [kind, fieldsOf(kind)]),
  );
  for (const [i, kind] of EVENT_KINDS.entries()) {
    assert.deepEqual(validator(EVENT_DATA[kind], "body")(examples[i]!.data), [], kind);
  }
});
