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
  for (const it of moved) {
    const state = RECIPIENT_OF[it.state];
    if (it.step !== 0 || it.thread_id === null || state === undefined) continue;
    moves.push({
      campaignId: it.campaign_id,
      threadId: it.thread_id,
      state,
      reason: state === "failed" ? it.reason : null,
    });
  }
  await threads.move(tx, tenantId, moves, newId(), now);
  const failed = moves
    .filter((it) => it.state === "failed")
    .map((it) => ({ campaign_id: it.campaignId, id: it.threadId }));
  await messages.withdraw(tx, tenantId, failed, {
    reason: "starting_message_failed",
    changeId: newId(),
    now,
    kinds: ["drip"],
  });
}
