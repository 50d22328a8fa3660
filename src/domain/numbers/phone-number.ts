import type { NumberPlan } from "#domain/phones/number-plan.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { failure, invalidField } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";

/** A number that a tenant has, or has ordered. `organization_id` null: any of the tenant's organizations may call from it. */
export type PhoneNumber = {
  id: Uuid;
  phone: string;
  organization_id: Uuid | null;
  user_id: Uuid | null;
  carrier: string;
  /** The name of the tenant's account that it is on; null for a number of the host's trunks, or of the simulator. */
  account_name: string | null;
  area_code: string;
  sms: boolean;
  mms: boolean;
  voice: boolean;
  agent_id: Uuid | null;
  created_at: Date;
  bought_at: Date | null;
};

/** The only value of `phone_number_type` for voice numbers. */
export const PHONE_NUMBER_TYPE = "svc-voice";

/** The area code of a number of the North American plan; empty for any other. */
export const areaCodeOf = (phone: string): string => (/^\+1\d{10}$/.test(phone) ? phone.slice(2, 5) : "");

/** An area code that a place in the US or Canada has: 400 for 555, a toll-free one, or what is none. */
export function requireAreaCode(plan: NumberPlan, text: string): string {
  const areaCode = text.trim();
  if (!/^\d{3}$/.test(areaCode) || plan.search({ areaCode }).length === 0) {
    throw invalidField("area_code", "must be an area code of the US or Canada, such as 212");
  }
  return areaCode;
}

/** A number in E.164, in whatever form it is written; 400 when it is none. */
export function requirePhone(field: string, text: string): string {
  const normal = normalizePhone(text);
  if ("problem" in normal) throw invalidField(field, normal.problem);
  return normal.phone;
}

/** 403 where somebody who is limited to organizations would change a number that all of them may call from. */
export function refuseShared(
  number: PhoneNumber,
  { organizations }: { organizations: readonly Uuid[] | undefined },
): void {
  if (number.organization_id === null && organizations !== undefined)
    throw failure("organization_limited", `${number.phone} is no organization's own but the whole tenant's`);
}

export const noNumbers = (areaCode: string) =>
  failure("no_numbers_available", `There is no number in area code ${areaCode} now`);

export const provisioningFailed = (why: string) => failure("provisioning_failed", `Provisioning failed: ${why}`);
