import type { FastifyRequest } from "fastify";
import { ABOUT_CONTACTS, NOT_AUDITED } from "#contract/accounts/not-audited.ts";
import type { Operation } from "#contract/values/operation.ts";
import { isPhone } from "#domain/accounts/audit.ts";
import type { Caller } from "#operations/context.ts";

/** The caller with what the audit log keeps of this request, where it keeps anything. */
export function auditedRequest(
  operation: Operation,
  request: FastifyRequest,
  caller: Caller,
  from: { address: string; userAgent: string | undefined },
): Caller {
  if (operation.method === "GET" || operation.id in NOT_AUDITED) return caller;
  const { person } = caller;
  const isKnown = operation.caller !== "anyone";
  const isBytes = operation.bulk || operation.upload || ABOUT_CONTACTS.includes(operation.id);
  const params = (request.params ?? {}) as Record<string, string>;
  // Somebody's own number is a value like those of a body: kept apart, and erased with its owner.
  const phones = Object.fromEntries(Object.entries(params).filter(([, value]) => isPhone(value)));
  const body = isBytes || !isKnown ? undefined : request.body;
  return {
    ...caller,
    audited: {
      tenantId: isKnown ? caller.accountId : undefined,
      // The first of its ids: where the request runs again under its Idempotency-Key, the same.
      id: caller.newId(),
      mode: isKnown ? caller.mode : null,
      actor: isKnown ? (person ? "person" : "key") : "unknown",
      actorId: isKnown ? (person?.userId ?? caller.keyId) : null,
      sessionId: person?.sessionId ?? null,
      address: from.address,
      userAgent: from.userAgent ?? null,
      requestId: request.id,
      operation: operation.id,
      note: { object: objectOf(params) },
      asked: Object.keys(phones).length > 0 ? { ...(body as object | undefined), ...phones } : body,
    },
  };
}

/** Parameters that are called otherwise than what they are the id of. */
const NAMES: Readonly<Record<string, string>> = { key: "api_key", lead: "contact", org: "organization" };

/** What the path names: the last of its ids. */
function objectOf(params: Record<string, string>): { kind: string; id: string | null } | undefined {
  const [name, id] = Object.entries(params).at(-1) ?? [];
  if (name === undefined || id === undefined) return undefined;
  const kind = name.replace(/_id$/, "");
  return { kind: NAMES[kind] ?? kind, id: isPhone(id) ? null : id };
}
