import type { MessageState, RecipientState } from "#domain/messaging/message.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Tx } from "#store/database/db.ts";
import type { SettledMessage } from "#store/messaging/attempts.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";

/** What a starting message's state makes of its recipient. States that are not here leave the recipient alone. */
const RECIPIENT_OF: Partial<Record<MessageState, RecipientState>> = {
  accepted: "sent",
  sent: "sent",
  delivered: "delivered",
  undelivered: "failed",
  failed: "failed",
  unknown: "unknown",
};

/**
 * Carries messages' new states over to their recipients. Who could not be reached at all gets no drips either. Ids
 * are made by `newId`, one for each change that is counted.
 */
export async function carryOver(
  tx: Tx,
  tenantId: Uuid,
  moved: readonly SettledMessage[],
  newId: () => Uuid,
  now: Date,
): Promise<void> {
  const moves: threads.Move[] = [];
  for (const message of moved) {
    const state = RECIPIENT_OF[message.state];
    if (message.step !== 0 || message.thread_id === null || state === undefined) continue;
    moves.push({
      campaignId: message.campaign_id,
      threadId: message.thread_id,
      state,
      reason: state === "failed" ? message.reason : null,
    });
  }
  await threads.move(tx, tenantId, moves, newId(), now);
  const failed = moves
    .filter((move) => move.state === "failed")
    .map((move) => ({ campaign_id: move.campaignId, id: move.threadId }));
  await messages.withdraw(tx, tenantId, failed, {
    reason: "starting_message_failed",
    changeId: newId(),
    now,
    kinds: ["drip"],
  });
}
