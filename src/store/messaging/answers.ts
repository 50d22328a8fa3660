import { planAnswer } from "#domain/agents/answer-due.ts";
import type { MessagePurpose } from "#domain/messaging/message.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as agents from "#store/agents/agents.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import type { Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import * as messages from "./messages.ts";
import type { Thread } from "./threads.ts";

/** Where a text of a contact came in: its conversation, if there is one, and the lane that answers leave by. */
export type Incoming = { phone: string; laneId: Uuid; thread: Thread | undefined; now: Date; realNow: Date };

/** Has the agent answer, where one is awake: enqueues its turn. The caller saves the thread. */
export async function schedule(tx: Tx, tenantId: Uuid, { thread, now, realNow }: Incoming): Promise<void> {
  if (!thread?.agent_awake) return;
  const campaign = await campaigns.get(tx, tenantId, thread.campaign_id);
  const config = await agents.configOf(tx, tenantId, campaign!.agent_id, campaign!.agent_version);
  const answer = planAnswer(config as { reply_delay_ms?: number }, now);
  Object.assign(thread, answer);
  const runAt = new Date(realNow.getTime() + answer.reply_due_at.getTime() - now.getTime());
  const payload = { tenantId, campaignId: thread.campaign_id, threadId: thread.id };
  await queue.enqueue(tx, [{ job: "reply-to-thread", payload, runAt }]);
}

/** The service's own one-line answer, in the sender's name. The caller saves the thread, and wakes the lane. */
export async function insertOwn(
  tx: Tx,
  tenantId: Uuid,
  { phone, laneId, thread, now }: Incoming,
  answer: { id: Uuid; kind: MessagePurpose; wording: (organization: string) => string },
): Promise<void> {
  const campaign = thread && (await campaigns.get(tx, tenantId, thread.campaign_id));
  const organization = campaign && (await organizations.find(tx, tenantId, campaign.organization_id));
  await messages.insert(tx, tenantId, {
    id: answer.id,
    campaignId: thread?.campaign_id ?? NO_ID,
    threadId: thread?.id ?? null,
    laneId,
    phone,
    kind: answer.kind,
    step: thread ? thread.next_step++ : 0,
    text: answer.wording(organization?.name ?? ""),
    at: now,
  });
}
