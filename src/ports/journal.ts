import type { GatePurpose } from "#domain/gate.ts";
import type { Uuid } from "#domain/id.ts";

/** What must not be forgotten when the database is put back to an earlier day. Times are the tenant's, ISO 8601. */
export type JournalEntry =
  /** Texts that are about to be handed to a carrier, or calls; entries from before there were calls name no channel. */
  | {
      kind: "sends";
      channel?: "sms" | "voice";
      at: string;
      tenantId: Uuid;
      nodeId: Uuid;
      carrier: string;
      sender: string;
      texts: JournaledText[];
    }
  /** A word about consent that the database holds. */
  | { kind: "opt_out" | "opt_in"; at: string; tenantId: Uuid; phone: string; source: string }
  | { kind: "do_not_call"; at: string; tenantId: Uuid; organizationId: Uuid | null; phones: string[] };

/** A call has its dial in the place of a message, and the purpose that the gate takes it for. */
export type JournaledText = { ref: Uuid; campaignId: Uuid; messageId: Uuid; phone: string; purpose: GatePurpose };

/**
 * A record outside the database of what left and who said stop. `append` resolves once the entry is on disk; until
 * then nothing may be handed to a carrier, and no word about consent acknowledged. Rejects when it cannot be written.
 */
export type Journal = { append(entry: JournalEntry): Promise<void> };
