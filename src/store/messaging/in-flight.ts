import { setTimeout as pause } from "node:timers/promises";
import type { Uuid } from "#domain/values/id.ts";
import type { Tx } from "#store/database/db.ts";
import * as attempts from "./attempts.ts";

export type Log = { warn(data: Record<string, unknown>, message: string): void };

/** What was claimed has this long to be handed over; a process that died with it settles nothing any more. */
export const IN_FLIGHT_MS = 6_000;
export const LOOK_AGAIN_MS = 20;

/** Waits until a count of what was claimed is 0, but no longer than it may still be handed over. Resolves to the last count. */
export async function untilNone(count: () => Promise<number>): Promise<number> {
  const until = performance.now() + IN_FLIGHT_MS;
  let left = await count();
  for (; left > 0 && performance.now() < until; left = await count()) await pause(LOOK_AGAIN_MS);
  return left;
}

/** Waits until nothing of a campaign is on its way to the carrier. No new claim can pass: its status is committed. */
export async function handedOver(db: Tx, tenantId: Uuid, campaignId: Uuid, log: Log): Promise<void> {
  const left = await untilNone(() => attempts.inFlightOf(db, tenantId, campaignId));
  if (left > 0) {
    const about = { tenantId, campaignId, inFlight: left };
    log.warn(about, "a campaign has stopped, and what was claimed before may still be handed over to the carrier");
  }
}

/** The same for all that goes out for an organization, whose archiving is committed. */
export async function allHandedOver(db: Tx, tenantId: Uuid, organizationId: Uuid, log: Log): Promise<void> {
  const left = await untilNone(() => attempts.inFlightOfAll(db, tenantId, organizationId));
  if (left > 0) {
    const about = { tenantId, organizationId, inFlight: left };
    log.warn(about, "an organization is archived, and what was claimed before may still be handed over to the carrier");
  }
}
