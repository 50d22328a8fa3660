import type { VoiceAgent } from "#domain/agents/agent.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { CallPurpose } from "./call.ts";

/**
 * Everything a call needs, collected before it is dialled: the call itself needs no database. Plain JSON, since it is sent
 * to another process; times are ISO 8601 in the tenant's own time.
 */
export type CallPlan = {
  callId: Uuid;
  tenantId: Uuid;
  /** The attempt's reference, planted with the carrier; for an inbound call the call's own id. */
  ref: Uuid;
  mode: "live" | "test";
  direction: "outbound" | "inbound";
  purpose: CallPurpose;
  /** Which of its recipient's dials this is, 1 for the first; 0 for a call of no campaign. */
  n: number;
  /** Our number and the contact's, E.164, whoever dialled. */
  number: string;
  contactPhone: string;
  /** The caller's own campaign id; empty for a single call. */
  campaign: string;
  /** How many recipients that campaign has; absent for a single call. */
  campaignSize?: number;
  agent: VoiceAgent;
  /** The organization that the agent speaks for. */
  organization: string;
  /** The call's objective, where the campaign sets one; otherwise it is in the agent's prompt. */
  objective?: string;
  contact: LeadFields;
  /** IANA name. */
  contactZone: string;
  /** What was texted before, oldest first: the call goes on where the texts stopped. */
  history: readonly PlannedText[];
  /** Values of extraction fields that the texts have given already. */
  known: Readonly<Record<string, string>>;
  /** The tenant's time when the plan was made, and how far it is ahead of real time. */
  now: string;
  clockOffsetMs: number;
};

export type PlannedText = { id: string; role: "contact" | "agent" | "human"; text: string; at: string };
