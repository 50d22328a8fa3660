import { normalizePhone } from "#domain/phones/phone.ts";
import { invalidField } from "#domain/values/errors.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
import type { Page } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { DoNotCallEntry } from "#store/compliance/do-not-call.ts";
import * as doNotCall from "#store/compliance/do-not-call.ts";

export type { DoNotCallEntry };

/** The parts of the list's page key: a phone, and an organization's uuid. */
export const DO_NOT_CALL_KEY = [/^\+\d{1,15}$/, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/] as const;

/**
 * The entries in the order of their phones; those of one phone, or of one organization. A caller who is limited to organizations sees theirs, and an
 * entry of the whole tenant only for a phone that is asked for.
 */
export async function listDoNotCall(
  ctx: Context,
  caller: Caller,
  page: TextPageRequest & { phoneNumber: string | undefined; organizationId: Uuid | undefined },
): Promise<Page<DoNotCallEntry>> {
  const normal = page.phoneNumber === undefined ? undefined : normalizePhone(page.phoneNumber);
  if (normal && "problem" in normal) throw invalidField("phone_number", normal.problem);
  const [phone = "", organizationId = NO_ID] = page.after ?? [];
  const entries = await doNotCall.list(ctx.db, caller.tenantId, {
    after: { phone, organizationId },
    phone: normal?.phone,
    organizationId: page.organizationId,
    ofAll: caller.organizations === undefined,
    limit: page.limit,
  });
  return textPageOf(entries, page.limit, (entry) => [entry.phone, entry.organization_id]);
}
