import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_ID } from "#domain/values/id.ts";
import type { CampaignRequest } from "#ports/journal.ts";
import { lastRequests } from "./campaign-requests.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute));

/** What is done to a campaign after these requests, a minute each, since the cut. */
function done(wishes: readonly CampaignRequest[], cut?: number): string[] {
  const entries = wishes.map((wish, i) => ({
    kind: "campaign" as const,
    at: at(i).toISOString(),
    tenantId: NO_ID,
    campaignId: NO_ID,
    wish,
  }));
  return lastRequests(entries, cut === undefined ? undefined : at(cut)).map(({ wish }) => wish);
}

test("the last request for a campaign holds, of those from after the backup", () => {
  assert.deepEqual(done(["pause", "resume"]), ["resume"]);
  assert.deepEqual(done(["resume", "pause"]), ["pause"]);
  assert.deepEqual(done(["pause", "resume"], 2), []);
});

test("a campaign that was changed since the backup is paused, whatever came after but a deletion", () => {
  assert.deepEqual(done(["pause", "edit", "resume"]), ["pause"]);
  assert.deepEqual(done(["edit", "pause", "resume"]), ["pause"]);
  assert.deepEqual(done(["edit", "resume", "delete"]), ["delete"]);
  assert.deepEqual(done(["delete", "edit"]), ["delete"]);
  assert.deepEqual(done(["edit", "pause", "resume"], 1), ["resume"], "the backup has the change");
});
