import { invalidField } from "#domain/errors.ts";
import type { Uuid } from "#domain/id.ts";
import { normalizePhone } from "#domain/phone.ts";
import * as doNotCall from "#store/do-not-call.ts";
import type { Caller, Context } from "./context.ts";

/** Takes a phone off the list: of one organization or, without one, of all. What is not listed is no error. */
export async function removeDoNotCall(
  ctx: Context,
  caller: Caller,
  phoneNumber: string,
  organizationId: Uuid | undefined,
): Promise<{ phone: string; removed: number }> {
  const normal = normalizePhone(phoneNumber);
  if ("problem" in normal) throw invalidField("phone_number", normal.problem);
  const removed = await doNotCall.remove(ctx.db, caller.tenantId, normal.phone, organizationId, ctx.now());
  return { phone: normal.phone, removed };
}
