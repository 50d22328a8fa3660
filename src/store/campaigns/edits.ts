import type { RedialConfig } from "#domain/calls/redial.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";
import type { Campaign } from "./campaigns.ts";

/** What an edit may change, and what it needs to know; the settings it does not name stay. */
export type Editable = Pick<Campaign, (typeof KNOWN)[number] | (typeof CHANGED)[number]> & {
  settings: Pick<Campaign["settings"], "objective" | "calling_window" | "media_urls"> & {
    redial_config?: RedialConfig;
    voice_agent_id?: string;
    former_agent_ids?: Uuid[];
  };
};

const KNOWN = ["status", "organization_id", "carrier", "lane_id"] as const;
const CHANGED = ["name", "begin_at", "end_at", "agent_id", "agent_version", "sender"] as const;
export type Edited = Pick<Editable, (typeof CHANGED)[number] | "settings">;

const lockCampaign = statement(
  "lock-campaign-to-edit",
  `select ${[...KNOWN, ...CHANGED].join(", ")}, settings from campaigns where tenant_id = $1 and id = $2 for no key update`,
);

/** Locks a campaign: no claim holds it until the commit. */
export function lock(tx: Tx, tenantId: Uuid, id: Uuid): Promise<Editable | undefined> {
  return tx.first<Editable>(lockCampaign, [tenantId, id]);
}

const editCampaign = changing(
  "edit-campaign",
  `update campaigns set name = $3, begin_at = $4, end_at = $5, agent_id = $6, agent_version = $7, sender = $8, settings = $9
   where tenant_id = $1 and id = $2`,
);

/** Writes a locked campaign back. */
export async function save(tx: Tx, tenantId: Uuid, id: Uuid, edited: Edited): Promise<void> {
  await tx.run(editCampaign, [
    tenantId,
    id,
    ...CHANGED.map((column) => edited[column]),
    JSON.stringify(edited.settings),
  ]);
}

const wakeTexts = changing(
  "wake-messages-of-window",
  `update messages set due_at = $3, updated_at = $3
   where tenant_id = $1 and campaign_id = $2 and state = 'held' and due_at > $3 and due_at < 'infinity'`,
);

const wakeDials = changing(
  "wake-dials-of-window",
  `update dials set due_at = $3, updated_at = $3
   where tenant_id = $1 and campaign_id = $2 and state = 'held' and due_at > $3 and due_at < 'infinity'`,
);

/**
 * Has what is held considered again, by the new window and end: whatever the rule that held it, its time took the old window into account. Answers how
 * many calls there are among it.
 */
export async function wakeHeld(tx: Tx, tenantId: Uuid, id: Uuid, now: Date): Promise<number> {
  await tx.run(wakeTexts, [tenantId, id, now]);
  return tx.run(wakeDials, [tenantId, id, now]);
}

const repointDials = changing(
  "repoint-waiting-dials",
  `update dials set agent_id = $3, agent_version = $4, updated_at = $5
   where tenant_id = $1 and campaign_id = $2 and due_at is not null`,
);

/** Gives the calls that wait another agent. */
export async function repoint(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  agent: { id: Uuid; version: number; now: Date },
): Promise<void> {
  await tx.run(repointDials, [tenantId, id, agent.id, agent.version, agent.now]);
}

const recipientAmongPhones = statement(
  "find-recipient-among-phones",
  "select phone from threads where tenant_id = $1 and campaign_id = $2 and phone = any($3::text[]) limit 1",
);

/** One of the phones that is a recipient's, if any. */
export async function recipientAmong(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  phones: readonly string[],
): Promise<string | undefined> {
  return (await tx.first<{ phone: string }>(recipientAmongPhones, [tenantId, id, phones]))?.phone;
}

const withdrawWaitingRedials = changing(
  "withdraw-redials-of-campaign",
  `with gone as (
     update dials set state = 'cancelled', due_at = null, rule = 'redial_withdrawn', reason = 'redial_withdrawn', updated_at = $4
     where tenant_id = $1 and campaign_id = $2 and purpose = 'redial' and due_at is not null and n > $3 returning thread_id),
   old as (
     select thread.id, thread.state, thread.call_outcome from threads thread
     where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = any(array(select thread_id from gone))
       and thread.state in ('scheduled', 'held', 'sent')
     order by thread.id for no key update),
   moved as (
     update threads thread set state = 'failed', reason = old.call_outcome, updated_at = $4
     from old where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = old.id
     returning old.state),
   change as (
     select 'pending' as state, -count(*)::int as n from gone
     union all select state, -count(*)::int from moved group by state
     union all select 'failed', count(*)::int from moved),
   counted as (
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, $2, $5, state, n from change where n <> 0
     on conflict do nothing)
   select from gone`,
);

/** Cancels the redials that wait past so many calls to a contact: it was not reached, and is not called again. */
export async function withdrawRedials(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  change: { mostAttempts: number; now: Date; changeId: Uuid },
): Promise<void> {
  await tx.run(withdrawWaitingRedials, [tenantId, id, change.mostAttempts, change.now, change.changeId]);
}
