import type { RecipientState } from "#domain/messaging/message.ts";
import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";
import { unread } from "./inbox.ts";

/** A conversation as lists show it. `at`: when the contact wrote last; 1970 where it never did. */
export type ListedThread = {
  id: Uuid;
  at: Date;
  /** False: it is there only to say how far the search has come. */
  passes: boolean;
  campaign: string;
  campaign_name: string | null;
  contact_id: Uuid;
  first_name: string | null;
  last_name: string | null;
  phone: string;
  state: RecipientState;
  reason: string | null;
  outcome: string | null;
  agent_awake: boolean;
  do_not_message: boolean;
  needs_person: boolean;
  person_wanted_at: Date | null;
  answer_delayed: boolean;
  assignee_id: Uuid | null;
  assignee: string | null;
  /** By the user who asks; false for nobody. */
  unread: boolean;
  last_inbound_at: Date | null;
  last_direction: "inbound" | "outbound" | null;
  last_kind: string | null;
  last_text: string | null;
  /** The newest text that has the words searched for. */
  matching_text: string | null;
};

/** So many are looked through for a page that is filtered: about 10 ms, or 25 where their texts are read. */
const WALKED = 2_000;

/** The last text is the contact's and no answer is on its way, or a person is wanted all the same: the predicate of an index. */
const UNANSWERED = `((thread.last_inbound_step = thread.next_step - 1 and thread.reply_due_at is null) or thread.person_wanted_at is not null)
  and not thread.do_not_message`;
/** What the agent has dealt with and closed needs no answer. */
const NEEDS_PERSON = `${UNANSWERED} and (thread.state <> 'opted_out' or exists (
    select from consents consent where consent.tenant_id = $1 and consent.phone = thread.phone and consent.opted_out_at is null))
  and (thread.person_wanted_at is not null
    or not (thread.state = 'completed' and thread.answered_step is not distinct from thread.last_inbound_step))`;
/** The agent's answer waits for the language model: the predicate of another. */
const DELAYED = "thread.answer_failing_since is not null";
const NEVER = "'epoch'::timestamptz";
/**
 * Texts of a conversation that were sent or received. Where words are searched for they are read along its own index: an index of words could not be
 * used, since row security lets no operator see a row before the policy unless the operator is leakproof, and those that search in texts are not.
 */
const textsOf = (thread: string) =>
  `from messages where tenant_id = $1 and campaign_id = ${thread}.campaign_id and thread_id = ${thread}.id and state <> 'suppressed' and due_at is null`;
const has = (words: string, text: string) => `position(lower(${words}) in lower(${text})) > 0`;
const NAME = "concat_ws(' ', contact.fields ->> 'first_name', contact.fields ->> 'last_name')";

// Walked along an index; the names are looked up row by row, and the last text of those alone that are shown.
const page = (which: string, at = "thread.last_inbound_at") =>
  `with page as (
     select walked.*, campaign.campaign_id as campaign, campaign.name as campaign_name,
       contact.fields ->> 'first_name' as first_name, contact.fields ->> 'last_name' as last_name, passing.passes
     from (
       select thread.campaign_id, thread.id, ${at} as at, thread.contact_id, thread.phone, thread.state, thread.reason, thread.outcome,
         thread.agent_awake, thread.do_not_message, thread.last_inbound_at, thread.last_inbound_step, thread.assignee_id, thread.person_wanted_at,
         coalesce(${NEEDS_PERSON}, false) as needs_person, ${DELAYED} as answer_delayed,
         row_number() over (order by ${at} desc, thread.id desc) as n
       from threads thread
       where thread.tenant_id = $1 and ${which} and (${at}, thread.id) < ($2::timestamptz, $3::uuid)
       order by ${at} desc, thread.id desc limit ${WALKED}) as walked
     join campaigns campaign on campaign.tenant_id = $1 and campaign.id = walked.campaign_id
     join contacts contact on contact.tenant_id = $1 and contact.id = walked.contact_id
     cross join lateral (select campaign.organization_id = $4 and campaign.channel = 'sms' and walked.phone like '+%'
       and ($6::uuid is null or campaign.id = $6) and ($7::text is null or walked.state = $7)
       and ($8::boolean is null or walked.needs_person) and ($9::boolean is null or not walked.agent_awake)
       and ($12::boolean is null or walked.answer_delayed)
       and ($10::text is null or ${has("$10", NAME)})
       and ($11::text is null or walked.phone = $11)
       and ($17::text is null or ${has("$17", NAME)} or exists (select ${textsOf("walked")} and ${has("$17", "text")}))
       and ($13::uuid is null or walked.assignee_id = $13) and ($15::boolean is null or walked.assignee_id is null)
       and ($16::boolean is null or ${unread("walked")} = $16) as passes) as passing
     where passing.passes or walked.n = ${WALKED}
     order by walked.at desc, walked.id desc limit $5 + 1)
   select page.*, last.direction as last_direction, last.kind as last_kind, last.text as last_text, matching.text as matching_text, assignee.name as assignee,
     ${unread("page")} as unread
   from page
   left join users assignee on assignee.tenant_id = $1 and assignee.id = page.assignee_id
   left join lateral (
     select direction, kind, text ${textsOf("page")} order by step desc limit 1) as last on true
   left join lateral (
     select text ${textsOf("page")} and $17 is not null and ${has("$17", "text")} order by step desc limit 1) as matching on true
   order by page.at desc, page.id desc`;

const written = "thread.last_inbound_at is not null";
const ofTenant = statement("list-conversations", page(written));
const ofCampaign = statement("list-conversations-of-campaign", page(`${written} and thread.campaign_id = $6`));
const unanswered = statement("list-conversations-unanswered", page(UNANSWERED));
const delayed = statement("list-conversations-delayed", page(DELAYED));
const takenOver = statement("list-conversations-taken-over", page(`${written} and not thread.agent_awake`));
// Of a person all are found, also those whose contact has not written.
const ofAssignee = statement(
  "list-conversations-of-assignee",
  page("thread.assignee_id = $13", `coalesce(thread.last_inbound_at, ${NEVER})`),
);
const ofPhone = statement(
  "list-conversations-of-phone",
  page("thread.phone = $11", `coalesce(thread.last_inbound_at, ${NEVER})`),
);

/** What conversations are chosen by. Of a phone and of an assignee all are found, of the others those whose contact has written. */
export type ConversationFilter = {
  campaignId: Uuid | undefined;
  state: string | undefined;
  attention: "needs_person" | "answer_delayed" | "taken_over" | undefined;
  name: string | undefined;
  /** In the name, or in a text. */
  words: string | undefined;
  phone: string | undefined;
  /** The user who takes care of them; null: nobody does. */
  assignee: Uuid | null | undefined;
  /** Those alone that the reader has yet to read, or has read. */
  isUnread: boolean | undefined;
  /** The user who asks, by whose reading `unread` is; undefined for a key. */
  reader: Uuid | undefined;
};

/** An organization's conversations, the one last written to first: at most one more than a page, and how far it has looked. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  { limit, before }: { limit: number; before: { at: Date; id: Uuid } },
  { campaignId, state, attention, name, words, phone, assignee, isUnread, reader }: ConversationFilter,
): Promise<ListedThread[]> {
  const by =
    phone !== undefined
      ? ofPhone
      : assignee
        ? ofAssignee
        : attention === "needs_person"
          ? unanswered
          : attention === "answer_delayed"
            ? delayed
            : attention === "taken_over"
              ? takenOver
              : campaignId !== undefined
                ? ofCampaign
                : ofTenant;
  return tx.rows<ListedThread>(by, [
    tenantId,
    before.at,
    before.id,
    organizationId,
    limit,
    campaignId ?? null,
    state ?? null,
    attention === "needs_person" ? true : null,
    attention === "taken_over" ? true : null,
    name ?? null,
    phone ?? null,
    attention === "answer_delayed" ? true : null,
    assignee ?? null,
    reader ?? null,
    assignee === null ? true : null,
    isUnread ?? null,
    words ?? null,
  ]);
}

export type WaitingCounts = {
  /** Conversations that need a person. */
  needPerson: number;
  /** Conversations whose answer waits for the language model, and since when the oldest does. */
  delayed: number;
  delayedSince: Date | null;
};

const countWaiting = statement(
  "count-waiting-conversations",
  `select (select count(*)::int from threads thread join campaigns campaign on campaign.tenant_id = $1 and campaign.id = thread.campaign_id
       where thread.tenant_id = $1 and ($2::uuid is null or campaign.organization_id = $2) and campaign.channel = 'sms'
         and thread.phone like '+%' and ${NEEDS_PERSON}) as "needPerson",
     delayed.n as delayed, delayed.since as "delayedSince"
   from (
     select count(*)::int as n, min(thread.answer_failing_since) as since
     from threads thread join campaigns campaign on campaign.tenant_id = $1 and campaign.id = thread.campaign_id
     where thread.tenant_id = $1 and ($2::uuid is null or campaign.organization_id = $2) and ${DELAYED}) as delayed`,
);

/** How many conversations wait for whom, of an organization or of the whole tenant (null). */
export async function waiting(tx: Tx, tenantId: Uuid, organizationId: Uuid | null): Promise<WaitingCounts> {
  return (await tx.first<WaitingCounts>(countWaiting, [tenantId, organizationId]))!;
}
