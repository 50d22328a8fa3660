import { isTestRange } from "#domain/phones/phone.ts";
import type { Uuid } from "#domain/values/id.ts";

/** Whose a number of the tenant's is: undefined where the tenant has none such, null where it is every organization's. */
export type NumberOwner = { organizationId: Uuid | null | undefined; isRegistered: boolean };

type Sender = { field: string; phone: string; channel: "sms" | "voice"; mode: "live" | "test" };

/**
 * A warning about a number that a campaign is to text or call from and that is not its organization's. A live carrier refuses what the tenant may
 * not use at all before this is asked; simulated phones take every number, of which those of 555-01XX are nobody's.
 */
export function senderWarning(
  { field, phone, channel, mode }: Sender,
  { organizationId, isRegistered }: NumberOwner,
  wanted: Uuid,
): string | undefined {
  if (organizationId === wanted || organizationId === null) return undefined;
  if (organizationId !== undefined) return `${field} ${phone} is a number of another organization`;
  if (mode === "live" || isTestRange(phone) || (channel === "sms" && isRegistered)) return undefined;
  return `${field} ${phone} is no number of the organization: simulated phones take it, a live carrier will not`;
}
