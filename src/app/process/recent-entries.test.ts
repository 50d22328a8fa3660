import assert from "node:assert/strict";
import { test } from "node:test";
import type { JournalEntry } from "#ports/journal.ts";
import { withRecent } from "./recent-entries.ts";

const alive = (nodeId: string): JournalEntry => ({ kind: "alive", at: "2026-11-20T12:00:00Z", nodeId });

test("what was written since a moment is remembered, once somebody asks, and nothing before", async () => {
  const { journal, recent } = withRecent({ append: async (_: JournalEntry) => {} });
  await journal.append(alive("before anybody asks"));
  recent.here();
  await journal.append(alive("a"));
  const here = recent.here();
  await journal.append(alive("b"));
  recent.forget(here);
  assert.deepEqual(recent.list(), [alive("b")]);
  recent.forget(here);
  assert.deepEqual(recent.list(), [alive("b")], "it is no further than that");
});
