import type { AuditActor, AuditNote } from "#domain/accounts/audit.ts";
import type { Uuid } from "#domain/values/id.ts";
import { NO_ID } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as audit from "#store/accounts/audit.ts";
import * as tenants from "#store/accounts/tenants.ts";

const TENANTS_AT_ONCE = 500;

/** Who did it: the service by itself, or whoever ran a command, `by` whom on which machine. */
export type ServiceChange = { operation: string; actor: Extract<AuditActor, "command" | "system">; by: string | null };

/**
 * What the service as a whole has done, or was done to it: an entry in the log of every tenant. After
 * the change, tenant by tenant: a process that dies in between leaves some without.
 */
export async function auditService(
  ctx: Pick<Context, "db" | "now" | "newId">,
  { operation, actor, by }: ServiceChange,
  noteOf: AuditNote | ((tenantId: Uuid) => Promise<AuditNote>),
): Promise<void> {
  const nobody = { mode: null, actorId: null, sessionId: null, address: null, requestId: null };
  for (let after = NO_ID; ; ) {
    const page = await tenants.list(ctx.db, after, TENANTS_AT_ONCE);
    for (const tenantId of page) {
      const note = typeof noteOf === "function" ? await noteOf(tenantId) : noteOf;
      const source = {
        ...nobody,
        tenantId,
        id: ctx.newId(),
        actor,
        operation,
        userAgent: by,
        outcome: "done",
      } as const;
      await ctx.db.transaction((tx) => audit.add(tx, source, note, ctx.now()));
    }
    if (page.length < TENANTS_AT_ONCE) return;
    after = page.at(-1)!;
  }
}
