import * as contract from "#contract/messaging/threads.ts";
import { threadPageRequest } from "#domain/messaging/thread-page.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { mediaUrls } from "#http/server/kept-file.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { type MediaUrl, messageView, threadIdView, timeView } from "#http/server/views.ts";
import type { Caller } from "#operations/context.ts";
import {
  type Conversation,
  getConversation,
  getExtraction,
  getMessage,
  listConversations,
  listExtractions,
  pauseAgent,
  resumeAgent,
  threadKey,
  writeMessage,
} from "#operations/messaging/converse.ts";
import { extractThread } from "#operations/messaging/extract-thread.ts";
import { addNote, assignThread, markAllRead, markThread } from "#operations/messaging/inbox.ts";
import { getMedia } from "#operations/messaging/read-media.ts";

export function threadRoutes(edge: Edge): void {
  const urlsFor = ({ tenantId }: Pick<Caller, "tenantId">, origin: string) => mediaUrls(edge.ctx, tenantId, origin);

  route(edge, contract.listThreads, async ({ ctx, caller, query }) => {
    const page = await listConversations(ctx, caller, {
      ...threadPageRequest(query),
      organizationId: requireId("organization", query.organization_id, "Organization"),
      campaignId: query.campaign_id,
      state: query.status,
      attention: query.attention,
      name: query.name,
      search: query.search,
      phoneNumber: query.phone_number,
      assignee: query.assignee,
      isUnread: query.unread,
    });
    return pageAnswer("threads", page, (thread) => listedView(thread, caller.person !== undefined));
  });

  route(edge, contract.getThread, async ({ ctx, caller, params, origin }) => ({
    thread: threadView(await getConversation(ctx, caller, params.thread_id), urlsFor(caller, origin)),
  }));

  route(edge, contract.writeMessage, async ({ ctx, caller, params, body }) => {
    const { id } = await writeMessage(ctx, caller, params.thread_id, body.text, body.media_urls);
    return { message_id: publicId("message", id), thread_id: params.thread_id, state: "scheduled" };
  });

  route(edge, contract.getMessage, async ({ ctx, caller, params, origin }) => {
    const message = await getMessage(ctx, caller, requireId("message", params.message_id, "Message"));
    return {
      message: {
        ...messageView(message, message.campaign ?? "", urlsFor(caller, origin)),
        campaign_id: message.campaign,
        lead_id: message.contact_id && publicId("contact", message.contact_id),
        external_id: message.external_id,
      },
    };
  });

  route(edge, contract.getMedia, ({ ctx, caller, params }) =>
    getMedia(ctx, caller, requireId("media", params.media_id, "Media")),
  );

  route(edge, contract.pauseAgent, async ({ ctx, caller, params, origin }) => ({
    thread: threadView(await pauseAgent(ctx, caller, params.thread_id), urlsFor(caller, origin)),
  }));

  route(edge, contract.resumeAgent, async ({ ctx, caller, params, origin }) => ({
    thread: threadView(await resumeAgent(ctx, caller, params.thread_id), urlsFor(caller, origin)),
  }));

  route(edge, contract.assignThread, async ({ ctx, caller, params, body, origin }) => {
    const userId = body.user_id === null ? null : requireId("user", body.user_id, "User");
    return { thread: threadView(await assignThread(ctx, caller, params.thread_id, userId), urlsFor(caller, origin)) };
  });

  route(edge, contract.addNote, async ({ ctx, caller, params, body }) => ({
    note: noteView(await addNote(ctx, caller, params.thread_id, body.text)),
  }));

  route(edge, contract.markThread, async ({ ctx, caller, params, body, origin }) => ({
    thread: threadView(await markThread(ctx, caller, params.thread_id, body.read), urlsFor(caller, origin)),
  }));

  route(edge, contract.markAllRead, async ({ ctx, caller, body }) => {
    await markAllRead(ctx, caller, requireId("organization", body.organization_id, "Organization"));
    return { organization_id: body.organization_id };
  });

  route(edge, contract.getExtraction, async ({ ctx, caller, params }) => {
    const found = await getExtraction(ctx, caller, params.thread_id);
    if (!found) return { extraction: null, message: "Nothing has been extracted from this thread yet" };
    return { extraction: extractionView(found.extraction, found.phone, found.campaignId) };
  });

  route(edge, contract.listExtractions, async ({ ctx, caller, query }) => {
    const page = await listExtractions(ctx, caller, { ...pageRequest(query), campaignId: query.campaign_id });
    return pageAnswer("extractions", page, (extraction) =>
      extractionView(extraction, extraction.phone, query.campaign_id),
    );
  });

  route(edge, contract.rerunExtraction, async ({ ctx, caller, params, signal }) => {
    await extractThread(ctx, await threadKey(ctx, caller, params.thread_id), signal);
    const found = await getExtraction(ctx, caller, params.thread_id);
    return { extraction: found ? extractionView(found.extraction, found.phone, found.campaignId) : null };
  });
}

/** Said of a transfer that no line can place. */
const NO_CALLS = "Calls are not available on this server; the request is kept";

type Call = Conversation["calls"][number];

const CALL_STATUS: Record<Call["state"], string> = {
  scheduled: "scheduled",
  held: "scheduled",
  dialing: "calling",
  done: "done",
  suppressed: "refused",
  expired: "refused",
  cancelled: "refused",
  unknown: "unknown",
};

function transferView(requestedAt: Date, call: Call | undefined) {
  const status = call ? CALL_STATUS[call.state] : "refused";
  const error = status === "refused" ? (call?.reason ?? NO_CALLS) : null;
  return { requested_at: requestedAt.toISOString(), status, error };
}

function callView(call: Call) {
  const status = CALL_STATUS[call.state];
  const outcome = status === "done" ? call.reason : null;
  return { purpose: call.purpose, status, scheduled_for: timeView(call.due_at), outcome };
}

function delayView({ answer_failing_since, answer_failures, reply_due_at }: Conversation["thread"]) {
  if (answer_failing_since === null || reply_due_at === null) return null;
  return {
    since: answer_failing_since.toISOString(),
    tries: answer_failures,
    next_try_at: reply_due_at.toISOString(),
  };
}

const assigneeView = (assignee: Conversation["assignee"]) =>
  assignee && { user_id: publicId("user", assignee.id), name: assignee.name };

function noteView({ id, kind, text, author_id, author, created_at }: Conversation["notes"][number]) {
  return {
    note_id: publicId("note", id),
    kind,
    text,
    author: author_id && { user_id: publicId("user", author_id), name: author },
    created_at: created_at.toISOString(),
  };
}

function threadView(
  { campaignId, thread, isOptedOut, messages, calls, assignee, notes, isUnread }: Conversation,
  urlOf: MediaUrl,
) {
  const requestedAt = thread.transfer_requested_at;
  return {
    thread_id: threadIdView(thread.phone, campaignId),
    campaign_id: campaignId,
    phone_number: thread.phone,
    lead_id: publicId("contact", thread.contact_id),
    state: thread.state,
    reason: thread.reason,
    outcome: thread.outcome,
    agent_awake: thread.agent_awake,
    do_not_message: thread.do_not_message,
    delayed_answer: delayView(thread),
    person_wanted_at: timeView(thread.person_wanted_at),
    opted_out: isOptedOut,
    transfer:
      requestedAt &&
      transferView(
        requestedAt,
        calls.find((call) => call.purpose === "transfer"),
      ),
    call: calls[0] ? callView(calls[0]) : null,
    assignee: assigneeView(assignee),
    unread: isUnread ?? null,
    messages: messages.map((message) => messageView(message, campaignId, urlOf)),
    notes: notes.map(noteView),
  };
}

function listedView(thread: Awaited<ReturnType<typeof listConversations>>["items"][number], isPerson: boolean) {
  const name = [thread.first_name, thread.last_name].filter((part) => part !== null && part.trim() !== "").join(" ");
  return {
    thread_id: threadIdView(thread.phone, thread.campaign),
    campaign_id: thread.campaign,
    campaign_name: thread.campaign_name,
    phone_number: thread.phone,
    lead_id: publicId("contact", thread.contact_id),
    contact_name: name === "" ? null : name,
    state: thread.state,
    reason: thread.reason,
    outcome: thread.outcome,
    agent_awake: thread.agent_awake,
    do_not_message: thread.do_not_message,
    needs_person: thread.needs_person,
    person_wanted_at: timeView(thread.person_wanted_at),
    answer_delayed: thread.answer_delayed,
    assignee: assigneeView(thread.assignee_id === null ? null : { id: thread.assignee_id, name: thread.assignee }),
    unread: isPerson ? thread.unread : null,
    last_inbound_at: timeView(thread.last_inbound_at),
    last_message: thread.last_direction && {
      direction: thread.last_direction,
      kind: thread.last_kind,
      text: thread.last_text,
    },
    matching_text: thread.matching_text,
  };
}

type ExtractionRow = NonNullable<Awaited<ReturnType<typeof getExtraction>>>["extraction"];

function extractionView(extraction: ExtractionRow, phone: string, campaignId: string) {
  return {
    thread_id: threadIdView(phone, campaignId),
    phone_number: phone,
    extracted_fields: extraction.fields,
    evidence: extraction.evidence,
    lead_outcome: extraction.lead_outcome,
    objective_met: extraction.objective_met,
    do_not_message: extraction.do_not_message,
    call_transferred: extraction.call_transferred,
    call_scheduled: extraction.call_scheduled,
    call_scheduled_time: timeView(extraction.call_scheduled_time),
    extracted_at: extraction.extracted_at.toISOString(),
    campaign_id: campaignId,
  };
}
