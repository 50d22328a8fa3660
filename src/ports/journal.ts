import type { ConsentChannel } from "#domain/compliance/consent.ts";
import type { GatePurpose } from "#domain/compliance/gate.ts";
import type { Uuid } from "#domain/values/id.ts";

/** What must not be forgotten when the database is put back to an earlier day. Times are ISO 8601, the tenant's where nothing else is said. */
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
  /** A word about consent that the database holds. An `opt_in` of the source "keyword" is a START; an opt-out of "call" names its call. */
  | { kind: "opt_out" | "opt_in"; at: string; tenantId: Uuid; phone: string; source: string; callId?: Uuid }
  /** Somebody records that a consent is gone, which is no opt-out. */
  | { kind: "consent_revoked"; at: string; tenantId: Uuid; phone: string; channel: ConsentChannel; source: string }
  /** In real time. */
  | { kind: "do_not_call"; at: string; tenantId: Uuid; organizationId: Uuid | null; phones: string[] }
  /** A person who is to be forgotten: without a number. */
  | { kind: "erased"; at: string; tenantId: Uuid; contactId: Uuid }
  /** A request to pause, resume, change or delete a campaign. In real time. */
  | { kind: "campaign"; at: string; tenantId: Uuid; campaignId: Uuid; wish: CampaignRequest }
  /** An organization is archived, or taken out of the archive. In real time. */
  | { kind: "organization"; at: string; tenantId: Uuid; organizationId: Uuid; wish: "archive" | "restore" }
  /** All sending and calling of a tenant stops, or goes on. In real time. */
  | { kind: "sending"; at: string; tenantId: Uuid; wish: "stop" | "resume"; by: string | null; reason: string | null }
  /** A number of ours rests until a time (the tenant's), or not any more: null. In real time. */
  | { kind: "number_rest"; at: string; tenantId: Uuid; number: string; until: string | null }
  /** Demo data that went, with all that it had sent: its campaigns, and its numbers for what belongs to no campaign. In real time. */
  | { kind: "demo_removed"; at: string; tenantId: Uuid; campaignIds: readonly Uuid[]; numbers: readonly string[] }
  /** How far a tenant's hash chain has come: what is missing at its end later was there. In real time. */
  | { kind: "chain_head"; at: string; tenantId: Uuid; seq: number; hash: string }
  /** A node runs: soon after it has taken its place, and every hour. So it is known whose journals are there. In real time. */
  | { kind: "alive"; at: string; nodeId: Uuid };

export type JournalKind = JournalEntry["kind"];
export type CampaignRequest = "pause" | "resume" | "edit" | "delete";

/**
 * A call has its dial in the place of a message, the purpose that the gate takes it for, and no `digest` (domain/messaging/text-digest.ts); nor have texts
 * of entries from before there was one.
 */
export type JournaledText = {
  ref: Uuid;
  campaignId: Uuid;
  messageId: Uuid;
  phone: string;
  purpose: GatePurpose;
  digest?: string;
};

/**
 * A record outside the database of what left and who said stop. `append` resolves once the entry is on disk; until
 * then nothing may be handed to a carrier, and no word about consent acknowledged. Rejects when it cannot be written.
 */
export type Journal = { append(entry: JournalEntry): Promise<void> };

/**
 * Reads journals back, from start to end each time: files of days before `since` are left out. `unreadable` is called with every place
 * where an acknowledged entry may have been and cannot be read.
 */
export type ReadJournals = (wanted: {
  since: Date | undefined;
  unreadable(where: string): void;
}) => AsyncIterable<JournalEntry>;

/** How far a database had come when a machine last saw it, and when it had come how far: its own record, beside the journal. */
export type SeenMark = { mark: number; asOf(mark: number): Date | undefined };
