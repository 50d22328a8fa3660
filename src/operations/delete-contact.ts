import { notFound } from "#domain/errors.ts";
import type { Uuid } from "#domain/id.ts";
import * as contacts from "#store/contacts.ts";
import type { Caller, Context } from "./context.ts";

/** Erases what is personal of a contact, for good. The phone's opt-out is not the contact's and stays. */
export async function deleteContact(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  const { tenantId } = caller;
  const erased = await ctx.db.transaction((tx) => contacts.erase(tx, tenantId, id, ctx.now()));
  if (!erased) throw notFound("Contact");
}
