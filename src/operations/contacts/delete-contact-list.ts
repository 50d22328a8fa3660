import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as lists from "#store/contacts/lists.ts";

/** Deletes a list; its contacts stay. */
export async function deleteContactList(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const list = await lists.find(tx, caller.tenantId, id);
    if (!list || !(await lists.remove(tx, caller.tenantId, id))) throw notFound("List");
    const { organization_id: organizationId, name, count: contacts } = list;
    ctx.audit.note({ organizationId, before: { list_name: name }, after: null, counts: { contacts } });
  });
}
