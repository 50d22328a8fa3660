import { readFields } from "#domain/contacts/lead.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { conflict, type FieldProblem, notFound, refuseInvalid } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import type { Contact } from "#store/contacts/contacts.ts";
import * as contacts from "#store/contacts/contacts.ts";
import { isUniqueViolation } from "#store/database/db.ts";

/**
 * Changes the given fields of a contact; null clears one, the others stay. 409 when another contact of the organization has the new phone number.
 * Existing threads keep the number they began with.
 */
export async function updateContact(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  body: Record<string, unknown>,
): Promise<Contact> {
  const problems: FieldProblem[] = [];
  const fields = readFields(body, "", problems);
  const normal = typeof body.phone_number === "string" ? normalizePhone(body.phone_number) : undefined;
  if (normal && "problem" in normal) problems.push({ field: "phone_number", message: normal.problem });
  refuseInvalid(problems);
  const change = {
    phone: normal && "phone" in normal ? normal.phone : undefined,
    fields,
    cleared: Object.keys(body).filter((name) => body[name] === null),
    at: await tenants.tenantNow(ctx.db, caller.tenantId, ctx.now()),
  };
  try {
    const changed = await ctx.db.transaction(async (tx) => {
      const before = await contacts.find(tx, caller.tenantId, id);
      const changed = await contacts.update(tx, caller.tenantId, id, change);
      if (before && changed) ctx.audit.note({ phone: changed.phone, before: shown(before), after: shown(changed) });
      return changed;
    });
    if (!changed) throw notFound("Contact");
    return changed;
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict("Another contact has this phone_number", "phone_number");
    throw error;
  }
}

/** Of a contact, for the audit log. */
const shown = ({ phone, fields }: Contact) => ({ ...fields, phone_number: phone });
