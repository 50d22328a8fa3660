import { hostname, userInfo } from "node:os";
import type { Config } from "#app/settings/config.ts";
import type { AuditNote } from "#domain/accounts/audit.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Context, contextFor } from "#operations/context.ts";
import { auditService } from "#operations/system/audit-service.ts";

/** A command that is run, as the audit log names it. */
export type CommandRun = {
  /** With its parents: `parley user create`. */
  name: string;
  /** The operating system's user, and the machine. */
  by: string;
};

/** What else a command writes into the audit log, beside the one entry with its first change. */
export type CommandEntries = {
  /** The same context, with an entry of its own: for a command that does several things. */
  another(): Context;
  /** An entry in the log of every tenant: of what is the whole service's. */
  inAll(note: AuditNote | ((tenantId: Uuid) => Promise<AuditNote>)): Promise<void>;
};

/** Opens the database as the settings say, and does a command's work with it. */
export type WithDatabase = (
  work: (ctx: Context, config: Config, entries: CommandEntries) => Promise<void>,
) => Promise<void>;

/** Who runs this process now: to be asked before root goes on as the service's user. */
export function operatingUser(): string {
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    name = `user ${process.getuid?.()}`;
  }
  return `${name} on ${hostname()}`;
}

/**
 * What a command works with: its first transaction that changes anything writes the command's entry, in the log of the tenant whom the command names
 * by `ctx.audit.by`. Without one nothing is written: the command writes one for all.
 */
export function commandContext(ctx: Context, { name, by }: CommandRun): { ctx: Context; entries: CommandEntries } {
  const another = () =>
    contextFor(ctx, {
      organizations: undefined,
      audited: {
        ...{ tenantId: undefined, id: ctx.newId(), mode: null, actor: "command", actorId: null, sessionId: null },
        ...{ address: null, userAgent: by, requestId: null, operation: name, note: {}, asked: undefined },
      },
    });
  const inAll: CommandEntries["inAll"] = (note) => auditService(ctx, { operation: name, actor: "command", by }, note);
  return { ctx: another(), entries: { another, inAll } };
}
