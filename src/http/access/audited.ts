import type { FastifyRequest } from "fastify";
import { BODY_FIELDS } from "#contract/accounts/audited-bodies.ts";
import { ABOUT_A_PHONE, NOT_AUDITED } from "#contract/accounts/not-audited.ts";
import type { Operation } from "#contract/values/operation.ts";
import type { AuditNote } from "#domain/accounts/audit.ts";
import { keptBody, keptFields } from "#domain/accounts/audit-body.ts";
import { parseThreadId } from "#domain/messaging/thread-id.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import type { Caller } from "#operations/context.ts";
import { fromOf } from "./asked.ts";

/** The caller with what the audit log keeps of this request, where it keeps anything. */
export function auditedRequest(operation: Operation, request: FastifyRequest, caller: Caller): Caller {
  if ((operation.method === "GET" && !operation.audited) || operation.id in NOT_AUDITED) return caller;
  const { person } = caller;
  const isKnown = operation.caller !== "anyone";
  const fields = isKnown ? KEPT[operation.id] : undefined;
  const { note, named } = whatIsNamed(operation, request);
  const { address, userAgent } = fromOf(request);
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
      address,
      userAgent: userAgent ?? null,
      requestId: request.id,
      operation: operation.id,
      note,
      asked: asked(named, fields && keptBody(request.body, fields)),
    },
  };
}

const KEPT = Object.fromEntries(Object.entries(BODY_FIELDS).map(([id, { kept }]) => [id, keptFields(kept)]));

const asked = (named: object | undefined, body: object | undefined) => (named || body) && { ...named, ...body };

/** Parameters that are called otherwise than what they are the id of. */
const NAMES: Readonly<Record<string, string>> = { key: "api_key", lead: "contact", org: "organization" };

/** Their paths have our own numbers, which are no contact's. */
const OF_OWN_NUMBERS: readonly string[] = ["Phone numbers", "Toll-free verifications"];

/**
 * What the path names. Where that, or the body, has a contact's number, all of it is the contact's: it stands beside the entry, which nobody changes,
 * and `named` is what the path has beside the object.
 */
function whatIsNamed(
  { id, tag }: Operation,
  { params, body }: FastifyRequest,
): { note: AuditNote; named: Record<string, string> | undefined } {
  const parts = (params ?? {}) as Record<string, string>;
  const { object, others } = objectOf(parts);
  const { thread_id, phone_number } = parts;
  if (thread_id !== undefined)
    return {
      note: { object: object && { ...object, id: null }, phone: parseThreadId(thread_id)?.phone },
      named: { thread_id },
    };
  if (phone_number !== undefined && !OF_OWN_NUMBERS.includes(tag))
    return { note: { object: object && { ...object, id: null }, phone: e164(phone_number) }, named: { phone_number } };
  const given = ABOUT_A_PHONE.includes(id) ? (body as { phone_number?: unknown }).phone_number : undefined;
  const named = Object.keys(others).length === 0 ? undefined : others;
  return { note: { object, ...(typeof given === "string" ? { phone: e164(given) } : {}) }, named };
}

/** As values are found by when the contact is erased; undefined for what is no number, which no operation takes. */
function e164(text: string): string | undefined {
  const normal = normalizePhone(text);
  return "phone" in normal ? normal.phone : undefined;
}

/** The last of the path's ids, and what else the path names: the campaign of a lead, the version of an agent. */
function objectOf(params: Record<string, string>): {
  object: { kind: string; id: string } | undefined;
  others: Record<string, string>;
} {
  const last = Object.keys(params).findLast((name) => name !== "version");
  if (last === undefined) return { object: undefined, others: params };
  const { [last]: id, ...others } = params;
  const kind = last.replace(/_id$/, "");
  return { object: { kind: NAMES[kind] ?? kind, id: id! }, others };
}
