import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as lists from "#store/contacts/lists.ts";

/** Deletes a list; its contacts stay. */
export async function deleteContactList(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  if (!(await lists.remove(ctx.db, caller.tenantId, id))) throw notFound("List");
}
