import { normalizePhone } from "#domain/phones/phone.ts";
import { invalidField } from "#domain/values/errors.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
import type { Page } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as consents from "#store/compliance/consents.ts";

/** The parts of the list's page key: a time in milliseconds, and a phone. */
export const OPT_OUTS_KEY = [/^\d{1,15}$/, /^\+\d{1,15}$/] as const;

/** The phones that are opted out, the latest first: all, those by one source, or one phone. 400 for an invalid phone number. */
export async function listOptOuts(
  ctx: Context,
  caller: Caller,
  page: TextPageRequest & { phoneNumber: string | undefined; source: string | undefined },
): Promise<Page<consents.OptedOut>> {
  const normal = page.phoneNumber === undefined ? undefined : normalizePhone(page.phoneNumber);
  if (normal && "problem" in normal) throw invalidField("phone_number", normal.problem);
  const [at, phone = ""] = page.after ?? [];
  const found = await consents.optedOut(ctx.db, caller.tenantId, {
    before: { at: at === undefined ? "infinity" : new Date(Number(at)), phone },
    ...(normal ? { phone: normal.phone } : {}),
    ...(page.source === undefined ? {} : { source: page.source }),
    organizations: caller.organizations,
    limit: page.limit,
  });
  return textPageOf(found, page.limit, (optOut) => [String(optOut.opted_out_at.getTime()), optOut.phone]);
}
