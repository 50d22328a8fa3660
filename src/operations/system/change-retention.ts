import { type Retention, retentionProblem } from "#domain/system/retention.ts";
import { invalidField } from "#domain/values/errors.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as walks from "#store/system/retention-walks.ts";

export const readRetention = (ctx: Context, { tenantId }: Pick<Caller, "tenantId">): Promise<Retention> =>
  walks.read(ctx.db, tenantId);

/** Says for how long the tenant keeps what it has, in the caller's mode. What is older by then is removed within a day (remove-expired.ts). */
export async function changeRetention(
  ctx: Context,
  { tenantId }: Pick<Caller, "tenantId">,
  wanted: Retention,
): Promise<Retention> {
  const wrong = retentionProblem(wanted, ctx.kept);
  if (wrong) throw invalidField(`${wrong.kind}_days`, wrong.problem);
  const before = await walks.read(ctx.db, tenantId);
  ctx.audit.note({ object: { kind: "retention", id: null }, before, after: wanted });
  await walks.put(ctx.db, tenantId, wanted);
  return wanted;
}
