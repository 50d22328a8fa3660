import * as contract from "#contract/accounts/audit.ts";
import type { QueryOf } from "#contract/values/operation.ts";
import { base32, publicId, requireId } from "#domain/values/id.ts";
import { requireInstant } from "#domain/values/instant.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import {
  type AuditFilter,
  contentOf,
  exportAudit,
  type ListedEntry,
  listAudit,
} from "#operations/accounts/read-audit.ts";
import { verifyAuditLog } from "#operations/accounts/verify-audit.ts";

export function auditRoutes(edge: Edge): void {
  route(edge, contract.listAudit, async ({ ctx, caller, query }) => {
    const page = await listAudit(ctx, caller, { ...filterOf(query), ...pageRequest(query) });
    return pageAnswer("entries", page, entryView);
  });

  route(edge, contract.verifyAudit, async ({ ctx, caller }) => {
    const { links, entries, head, restores, fault } = await verifyAuditLog(ctx, caller.accountId, []);
    return {
      verification: {
        ...{ whole: fault === undefined, links, entries, head: head.hash.toString("hex") },
        fault: fault ? { seq: fault.seq, problem: fault.what } : null,
        restores: restores.map(({ at, from, to }) => ({
          at: at.toISOString(),
          first_lost_seq: from,
          last_lost_seq: to,
        })),
        verified_at: ctx.now().toISOString(),
      },
    };
  });

  route(edge, contract.exportAudit, async ({ ctx, caller, query }) => ({
    ...exportAudit(ctx, caller, filterOf(query), entryView, COLUMNS),
    fileName: "audit.csv",
  }));
}

const COLUMNS = Object.keys(contract.AuditEntry.properties);

function filterOf(query: QueryOf<typeof contract.exportAudit>): AuditFilter {
  const { actor, operation, object, object_id, outcome, begin, end, search, user_id, key_id } = query;
  const userId = user_id === undefined ? undefined : requireId("user", user_id, "User");
  const keyId = key_id === undefined ? undefined : requireId("apiKey", key_id, "API key");
  return {
    ...{ actor, operation, object, objectId: object_id, outcome, text: search, actorId: userId ?? keyId },
    begin: begin === undefined ? undefined : requireInstant("begin", begin),
    end: end === undefined ? undefined : requireInstant("end", end),
  };
}

function entryView(entry: ListedEntry) {
  const { before = null, after = null, asked = null, counts = null, reason = null } = contentOf(entry);
  const { actorId } = entry;
  return {
    entry_id: `entry_${base32(entry.id)}`,
    seq: entry.seq,
    at: entry.at.toISOString(),
    mode: entry.mode,
    actor: entry.actor,
    actor_id: actorId && publicId(entry.actor === "key" ? "apiKey" : "user", actorId),
    // Of a command the operating system's user, and the machine.
    actor_name: entry.actor === "command" ? entry.userAgent : entry.actorName,
    session_id: entry.sessionId && publicId("session", entry.sessionId),
    address: entry.address,
    user_agent: entry.userAgent,
    request_id: entry.requestId,
    operation: entry.operation,
    object: entry.object,
    object_id: entry.objectId,
    organization_id: entry.organizationId && publicId("organization", entry.organizationId),
    outcome: entry.outcome,
    ...{ before, after, asked, counts, reason },
  };
}
