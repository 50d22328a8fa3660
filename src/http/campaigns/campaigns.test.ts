import assert from "node:assert/strict";
import { test } from "node:test";
import { RECIPIENT_STATES } from "#contract/campaigns/campaigns.ts";
import { MESSAGE_STATES } from "#contract/messaging/messages.ts";
import { RECIPIENT_STATES as KNOWN, MESSAGE_RANK } from "#domain/messaging/message.ts";

test("lists are filtered by every state that a recipient or a message can have, and by no other", () => {
  assert.deepEqual(RECIPIENT_STATES.toSorted(), KNOWN.toSorted());
  assert.deepEqual(MESSAGE_STATES.toSorted(), Object.keys(MESSAGE_RANK).toSorted());
});
