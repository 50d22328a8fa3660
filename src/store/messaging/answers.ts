import { planAnswer } from "#domain/agents/answer-due.ts";
import type { MessagePurpose } from "#domain/messaging/message.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import { statement, type Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import * as messages from "./messages.ts";
import type { Thread } from "./threads.ts";

/** Where a text of a contact came in: its conversation, if there is one, and the lane that answers leave by. */
export type Incoming = { phone: string; laneId: Uuid; thread: Thread | undefined; now: Date; realNow: Date };

const findDelays = statement(
  "find-reply-delays",
  `select campaign.id, (version.config ->> 'reply_delay_ms')::float8 as ms from campaigns campaign
   join agent_versions version on version.tenant_id = $1 and version.agent_id = campaign.agent_id
     and version.version = campaign.agent_version
   where campaign.tenant_id = $1 and campaign.id = any($2::uuid[])`,
);

/** Has the agents answer in these threads, once each, where they are awake: enqueues their turns. The caller saves the threads. */
export async function schedule(
  tx: Tx,
  tenantId: Uuid,
  threads: readonly Thread[],
  { now, realNow }: { now: Date; realNow: Date },
): Promise<void> {
  const awake = threads.filter((thread) => thread.agent_awake);
  if (awake.length === 0) return;
  const campaignIds = [...new Set(awake.map((thread) => thread.campaign_id))];
  const rows = await tx.rows<{ id: Uuid; ms: number | null }>(findDelays, [tenantId, campaignIds]);
  const delays = new Map(rows.map(({ id, ms }) => [id, ms]));
  const jobs = awake.map((thread): queue.Job => {
    const answer = planAnswer({ reply_delay_ms: delays.get(thread.campaign_id) ?? 0 }, now);
    Object.assign(thread, answer);
    const runAt = new Date(realNow.getTime() + answer.reply_due_at.getTime() - now.getTime());
    const payload = { tenantId, campaignId: thread.campaign_id, threadId: thread.id };
    return { job: "reply-to-thread", payload, runAt };
  });
  await queue.enqueue(tx, jobs);
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
  const own = {
    id: answer.id,
    campaignId: thread?.campaign_id ?? NO_ID,
    threadId: thread?.id ?? null,
    laneId,
    phone,
    kind: answer.kind,
    step: thread ? thread.next_step++ : 0,
    text: answer.wording(organization?.name ?? ""),
    at: now,
  };
  await messages.insert(tx, tenantId, [own]);
}
