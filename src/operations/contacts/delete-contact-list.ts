import { notFound } from "#domain/errors.ts";
import type { Uuid } from "#domain/id.ts";
import * as lists from "#store/lists.ts";
import type { Caller, Context } from "./context.ts";

/** Deletes a list; its contacts stay. */
export async function deleteContactList(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  if (!(await lists.remove(ctx.db, caller.tenantId, id))) throw notFound("List");
}
