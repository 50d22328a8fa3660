import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";
import type { Campaign } from "./campaigns.ts";

/** What an edit may change; the settings it does not name stay. */
export type Editable = Pick<Campaign, "status" | "name" | "begin_at" | "end_at"> & {
  settings: Pick<Campaign["settings"], "objective" | "calling_window">;
};

const lockCampaign = statement(
  "lock-campaign-to-edit",
  "select status, name, begin_at, end_at, settings from campaigns where tenant_id = $1 and id = $2 for no key update",
);

/** Locks a campaign: no claim holds it until the commit. */
export function lock(tx: Tx, tenantId: Uuid, id: Uuid): Promise<Editable | undefined> {
  return tx.first<Editable>(lockCampaign, [tenantId, id]);
}

const editCampaign = statement(
  "edit-campaign",
  `update campaigns set name = $3, begin_at = $4, end_at = $5, settings = $6 where tenant_id = $1 and id = $2`,
);

/** Writes a locked campaign back. */
export async function save(tx: Tx, tenantId: Uuid, id: Uuid, edited: Omit<Editable, "status">): Promise<void> {
  const { name, begin_at, end_at, settings } = edited;
  await tx.run(editCampaign, [tenantId, id, name, begin_at, end_at, JSON.stringify(settings)]);
}

const wakeTexts = statement(
  "wake-messages-of-window",
  `update messages set due_at = $3, updated_at = $3
   where tenant_id = $1 and campaign_id = $2 and state = 'held' and due_at > $3 and due_at < 'infinity'`,
);

const wakeDials = statement(
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
