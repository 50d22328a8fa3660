import { normalizePhone } from "#domain/phones/phone.ts";
import { invalidField } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as doNotCall from "#store/compliance/do-not-call.ts";

/**
 * Removes a phone from the list: of one organization or, without one, of all. A live key removes it in both modes; a test key leaves the live entry
 * as it is. Removing what is not listed is no error.
 */
export async function removeDoNotCall(
  ctx: Context,
  caller: Caller,
  phoneNumber: string,
  organizationId: Uuid | undefined,
): Promise<{ phone: string; removed: number }> {
  const normal = normalizePhone(phoneNumber);
  if ("problem" in normal) throw invalidField("phone_number", normal.problem);
  const removed = await removePhones(ctx, caller, [normal.phone], organizationId);
  return { phone: normal.phone, removed: removed.length };
}

/** The same for phones in E.164, in one transaction. Answers with the phone of each entry that went. */
export function removePhones(
  ctx: Context,
  caller: Caller,
  phones: readonly string[],
  organizationId: Uuid | undefined,
): Promise<string[]> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.now();
    if (caller.mode === "live") {
      await doNotCall.remove(tx, await tenants.otherMode(tx, caller.tenantId), phones, organizationId, now);
    }
    return doNotCall.remove(tx, caller.tenantId, phones, organizationId, now);
  });
}
