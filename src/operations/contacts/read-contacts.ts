import type { CallStatus, DisconnectionReason } from "#domain/calls/call.ts";
import { type CallResult, callResult } from "#domain/calls/result.ts";
import { contactSearch } from "#domain/contacts/search.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { invalidField, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as lineTypes from "#store/compliance/line-types.ts";
import type { Contact } from "#store/contacts/contacts.ts";
import * as contacts from "#store/contacts/contacts.ts";
import type { FoundContact } from "#store/contacts/found-contacts.ts";
import * as foundContacts from "#store/contacts/found-contacts.ts";
import * as lists from "#store/contacts/lists.ts";
import * as timelines from "#store/messaging/timelines.ts";

export type ContactQuery = PageRequest & {
  phoneNumber: string | undefined;
  externalId: string | undefined;
  /** The beginning of a name or number. */
  search: string | undefined;
  listId: Uuid | undefined;
  isOptedOut: boolean | undefined;
  tag: string | undefined;
};

/** The contacts of an organization that match, newest first; or the one with a phone number, in any notation, or those with the caller's own id. 404 for a list that is not there. */
export async function listContacts(
  ctx: Context,
  caller: Caller,
  organizationId: Uuid,
  { phoneNumber, externalId, search, ...wanted }: ContactQuery,
): Promise<Page<FoundContact>> {
  const { tenantId } = caller;
  const normal = phoneNumber === undefined ? undefined : normalizePhone(phoneNumber);
  if (normal && "problem" in normal) throw invalidField("phone_number", normal.problem);
  const sought = Object.entries({ phone_number: phoneNumber, external_id: externalId, search });
  const [first, second] = sought.flatMap(([field, value]) => (value === undefined ? [] : [field]));
  if (second !== undefined) throw invalidField(second, `cannot be used with ${first}`);
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  if (wanted.listId !== undefined && !(await lists.find(ctx.db, tenantId, wanted.listId))) throw notFound("List");
  const looked = normal
    ? ({ kind: "phone", pattern: normal.phone } as const)
    : externalId !== undefined
      ? ({ kind: "external", pattern: externalId } as const)
      : contactSearch(search ?? "");
  const found = await foundContacts.list(ctx.db, tenantId, organizationId, { ...wanted, search: looked });
  return pageOf(found, wanted.limit);
}

/** With what is known of its phone's line. 404 for an unknown contact. */
export async function getContact(
  ctx: Context,
  { tenantId }: Caller,
  id: Uuid,
): Promise<Contact & { line: lineTypes.KnownLine | null }> {
  const found = await contacts.find(ctx.db, tenantId, id);
  if (!found) throw notFound("Contact");
  const [line = null] = await lineTypes.find(ctx.db, tenantId, [found.phone]);
  return { ...found, line };
}

/** The parts of the timeline's page key: a time in milliseconds, and an id. */
export const TIMELINE_KEY = [/^\d{1,15}$/, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/] as const;

/** `result`: what came of a call. */
export type TimelineEntry = timelines.TimelineRow & { result: CallResult | null };

const resultOfRow = (call: timelines.TimelineRow): CallResult | null =>
  callResult({
    status: call.state as CallStatus,
    reason: call.reason as DisconnectionReason | null,
    answerer: call.answerer,
    inVoicemail: call.in_voicemail === true,
    durationMs: call.duration_ms ?? 0,
    hasContactSpoken: call.has_contact_spoken ?? undefined,
  });

/** Every text and call with a contact, by any number that it has had, newest first. 404 for an unknown contact. */
export async function listTimeline(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  page: TextPageRequest,
): Promise<Page<TimelineEntry>> {
  if (!(await contacts.find(ctx.db, caller.tenantId, id))) throw notFound("Contact");
  const [at, before] = page.after ?? [];
  const rows = await timelines.ofContact(ctx.db, caller.tenantId, id, {
    before: at === undefined || before === undefined ? undefined : { at: new Date(Number(at)), id: before },
    limit: page.limit,
  });
  const entries = rows.map((row) => ({ ...row, result: row.channel === "voice" ? resultOfRow(row) : null }));
  return textPageOf(entries, page.limit, (row) => [String(row.at.getTime()), row.id]);
}
