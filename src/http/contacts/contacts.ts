import * as actions from "#contract/contacts/actions.ts";
import * as contract from "#contract/contacts/contacts.ts";
import type { BodyOf } from "#contract/values/operation.ts";
import { contactRecord } from "#domain/contacts/contact.ts";
import { takesTexts } from "#domain/phones/line-type.ts";
import { invalidField } from "#domain/values/errors.ts";
import { parseId, publicId, requireId, type Uuid } from "#domain/values/id.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { lineLookupView, threadIdView, timeView } from "#http/server/views.ts";
import { type ChosenBy, changeContacts } from "#operations/contacts/change-contacts.ts";
import { deleteContact } from "#operations/contacts/delete-contact.ts";
import { deleteContactList } from "#operations/contacts/delete-contact-list.ts";
import { getContactList, listContactLists, listContactsOfList } from "#operations/contacts/read-contact-lists.ts";
import { getContact, listContacts, listTimeline, TIMELINE_KEY } from "#operations/contacts/read-contacts.ts";
import { updateContact } from "#operations/contacts/update-contact.ts";

export function contactRoutes(edge: Edge): void {
  listRoutes(edge);
  route(edge, contract.listContacts, async ({ ctx, caller, query }) => {
    const organizationId = requireId("organization", query.organization_id, "Organization");
    const wanted = {
      ...pageRequest(query),
      phoneNumber: query.phone_number,
      externalId: query.external_id,
      search: query.search,
      listId: query.list_id === undefined ? undefined : requireId("list", query.list_id, "List"),
      isOptedOut: query.opted_out,
      tag: query.tag,
    };
    return pageAnswer("leads", await listContacts(ctx, caller, organizationId, wanted), (lead) => ({
      ...contactRecord(lead),
      opted_out_at: timeView(lead.opted_out_at),
    }));
  });

  route(edge, contract.getContact, async ({ ctx, caller, params }) => {
    const id = requireId("contact", params.lead_id, "Contact");
    const { line, ...lead } = await getContact(ctx, caller, id);
    return { lead: contactRecord(lead), line: line && lineView(line) };
  });

  route(edge, contract.listContactTimeline, async ({ ctx, caller, params, query }) => {
    const id = requireId("contact", params.lead_id, "Contact");
    const page = await listTimeline(ctx, caller, id, textPageRequest(query, TIMELINE_KEY));
    return pageAnswer("entries", page, (entry) => ({
      channel: entry.channel,
      id: publicId(entry.channel === "sms" ? "message" : "call", entry.id),
      at: entry.at.toISOString(),
      direction: entry.direction,
      state: entry.state,
      kind: entry.kind,
      reason: entry.reason,
      text: entry.text,
      media_count: entry.media_count,
      call_result: entry.result,
      duration_ms: entry.duration_ms,
      phone_number: entry.phone,
      campaign_id: entry.campaign_id,
      campaign_name: entry.campaign_name,
      thread_id: entry.thread_id && entry.campaign_id ? threadIdView(entry.phone, entry.campaign_id) : null,
    }));
  });

  route(edge, contract.updateContact, async ({ ctx, caller, params, body }) => {
    const id = requireId("contact", params.lead_id, "Contact");
    const changed = await updateContact(ctx, caller, id, body);
    return { lead: contactRecord(changed), message: "Contact updated" };
  });

  route(edge, contract.deleteContact, async ({ ctx, caller, params }) => {
    await deleteContact(ctx, caller, requireId("contact", params.lead_id, "Contact"));
    return { unique_id: params.lead_id, message: "Contact deleted" };
  });

  route(edge, actions.changeContacts, async ({ ctx, caller, body }) => {
    const result = await changeContacts(ctx, caller, {
      action: body.action,
      organizationId: requireId("organization", body.organization_id, "Organization"),
      by: chosenBy(body),
      tag: body.tag,
      listId: body.list_id === undefined ? undefined : requireId("list", body.list_id, "List"),
      reason: body.reason,
      expectedCount: body.expected_count,
      isDryRun: body.dry_run ?? false,
    });
    return {
      action: body.action,
      matched: result.matched,
      done: result.done,
      skipped: result.skipped,
      changed_lead_ids: result.changed?.map((id) => publicId("contact", id)) ?? null,
    };
  });
}

/** What is known of a contact's line, by a look-up that was asked for. */
const lineView = ({ line_type, carrier_name, looked_up_at }: KnownLine) => ({
  line_type,
  takes_texts: takesTexts(line_type),
  carrier_name,
  looked_up_at: looked_up_at.toISOString(),
});

type KnownLine = NonNullable<Awaited<ReturnType<typeof getContact>>["line"]>;
type Chosen = Pick<BodyOf<typeof actions.changeContacts>, "lead_ids" | "filter">;

/** An id that is none of ours counts as that of somebody who is not there. */
function chosenBy({ lead_ids: ids, filter }: Chosen): ChosenBy {
  if ((ids === undefined) === (filter === undefined)) {
    throw invalidField("lead_ids", filter === undefined ? "or filter is required" : "cannot be used with filter");
  }
  if (filter === undefined) {
    const named = new Set(ids);
    const known = [...named].map((id) => parseId("contact", id)).filter((id): id is Uuid => id !== undefined);
    return { ids: known, unknown: named.size - known.length };
  }
  return {
    search: filter.search,
    listId: filter.list_id === undefined ? undefined : requireId("list", filter.list_id, "List"),
    isOptedOut: filter.opted_out,
    tag: filter.tag,
  };
}

function listRoutes(edge: Edge): void {
  // A bulk body comes as bytes, or not at all.
  route(edge, contract.createContactList, ({ caller, body }) =>
    edge.bulk("create-contact-list", caller, {}, (body as unknown as Uint8Array | undefined) ?? new Uint8Array()),
  );

  route(edge, contract.listContactLists, async ({ ctx, caller, query }) => {
    const organizationId = requireId("organization", query.organization_id, "Organization");
    return pageAnswer("lists", await listContactLists(ctx, caller, organizationId, pageRequest(query)), listView);
  });

  route(edge, contract.getContactList, async ({ ctx, caller, params }) => {
    return { list: listView(await getContactList(ctx, caller, requireId("list", params.list_id, "List"))) };
  });

  route(edge, contract.deleteContactList, async ({ ctx, caller, params }) => {
    await deleteContactList(ctx, caller, requireId("list", params.list_id, "List"));
    return { list_id: params.list_id };
  });

  route(edge, contract.listContactsOfList, async ({ ctx, caller, params, query }) => {
    const page = await listContactsOfList(ctx, caller, requireId("list", params.list_id, "List"), pageRequest(query));
    return pageAnswer("leads", page, contactRecord);
  });
}

type ListRow = {
  id: string;
  organization_id: string;
  user_id: string;
  name: string;
  count: number;
  created_at: Date;
} & Parameters<typeof lineLookupView>[0];

function listView(list: ListRow) {
  return {
    list_id: publicId("list", list.id),
    list_name: list.name,
    organization_id: publicId("organization", list.organization_id),
    user_id: publicId("user", list.user_id),
    count: list.count,
    created_at: list.created_at.toISOString(),
    line_lookup: lineLookupView(list),
  };
}
