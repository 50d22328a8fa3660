import { type ContactAction, MAX_CHOSEN_IDS, type SkipReason } from "#contract/contacts/actions.ts";
import { contactSearch } from "#domain/contacts/search.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { LAST_ID, type PageRequest } from "#domain/values/paging.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import { addPhones } from "#operations/compliance/add-do-not-call.ts";
import { removePhones } from "#operations/compliance/remove-do-not-call.ts";
import { unsubscribe } from "#operations/compliance/unsubscribe.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as doNotCall from "#store/compliance/do-not-call.ts";
import type { ChosenContact } from "#store/contacts/chosen-contacts.ts";
import * as chosen from "#store/contacts/chosen-contacts.ts";
import * as foundContacts from "#store/contacts/found-contacts.ts";
import * as lists from "#store/contacts/lists.ts";
import { eraseContacts } from "./delete-contact.ts";

const CONTACTS_A_STATEMENT = 5_000;
/** That a filter may match. */
const MAX_MATCHED = 100_000;
/** Erasing takes some milliseconds a contact, and the request waits for it. */
const MAX_ERASED = 10_000;

export type ChosenBy =
  | { ids: readonly Uuid[]; unknown: number }
  | {
      search: string | undefined;
      listId: Uuid | undefined;
      isOptedOut: boolean | undefined;
      tag: string | undefined;
    };

export type ContactChange = {
  action: ContactAction;
  organizationId: Uuid;
  by: ChosenBy;
  tag: string | undefined;
  listId: Uuid | undefined;
  reason: string | undefined;
  expectedCount: number | undefined;
  isDryRun: boolean;
};

export type ChangedContacts = {
  matched: number;
  done: number;
  skipped: { reason: SkipReason; count: number }[];
  /** Who was changed, where that can be undone. */
  changed: Uuid[] | undefined;
};

type Outcome = { done: number; skipped: Partial<Record<SkipReason, number>>; changed?: Uuid[] };

/**
 * Does one thing with many contacts of an organization. What the law is about is done by what does it for one contact. 404 for an unknown
 * organization or list; 409 when other than `expectedCount` match, 413 when too many do.
 */
export async function changeContacts(ctx: Context, caller: Caller, change: ContactChange): Promise<ChangedContacts> {
  const { action, organizationId, by, expectedCount } = change;
  const { tenantId } = caller;
  const run = runnerOf(change);
  if (action === "erase" && expectedCount === undefined && !change.isDryRun) {
    throw invalidField("expected_count", "is required to erase: how many contacts are to be erased");
  }
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  await requireList(ctx, caller, organizationId, change.listId, "list_id");
  const them = await choose(ctx, caller, organizationId, by);
  if (action === "erase" && them.length > MAX_ERASED) throw tooMany(them.length, MAX_ERASED, "can be erased at once");
  if (expectedCount !== undefined && expectedCount !== them.length) {
    throw failure("conflict", `expected_count is ${expectedCount}, and ${them.length} contacts match now`);
  }
  ctx.audit.note({
    organizationId,
    after: { action, list_id: change.listId, tag: change.tag, chosen_by: chosenBy(by) },
    counts: { ...("ids" in by ? { named: by.ids.length + by.unknown } : {}), matched: them.length },
  });
  const unknown = "ids" in by ? by.ids.length + by.unknown - them.length : 0;
  const outcome: Outcome =
    change.isDryRun || them.length === 0 ? { done: 0, skipped: {} } : await run(ctx, caller, them);
  const skipped = Object.entries({ not_found: unknown, ...outcome.skipped })
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ reason: reason as SkipReason, count }));
  const { changed } = outcome;
  const isShown = changed !== undefined && changed.length <= MAX_CHOSEN_IDS;
  return { matched: them.length, done: outcome.done, skipped, changed: isShown ? changed : undefined };
}

/** For the audit log, without the words that are searched for: whom they name may be erased later. */
function chosenBy(by: ChosenBy) {
  if ("ids" in by) return { fields: ["lead_ids"] };
  const fields = { search: by.search, list_id: by.listId, opted_out: by.isOptedOut, tag: by.tag };
  const used = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return { fields: used, list_id: by.listId, opted_out: by.isOptedOut };
}

type Runner = (ctx: Context, caller: Caller, them: readonly ChosenContact[]) => Promise<Outcome>;

/** 400 without what the action needs. */
function runnerOf({ action, tag, listId, organizationId, reason }: ContactChange): Runner {
  switch (action) {
    case "tag":
    case "untag":
      return withTag(action, tagOf(tag));
    case "add_to_list":
    case "remove_from_list":
      if (listId === undefined) throw invalidField("list_id", `is required to ${action}`);
      return withList(action, listId);
    case "do_not_call":
      return async (ctx, caller, them) => {
        const source = caller.person ? "person" : "api";
        const added = await addPhones(ctx, caller, phonesOf(them), { organizationId, reason, source });
        return { done: added, skipped: { already_listed: them.length - added } };
      };
    case "may_call":
      return mayCall(organizationId);
    case "unsubscribe":
      return async (ctx, caller, them) => {
        const done = await unsubscribe(ctx, caller, phonesOf(them));
        return { done, skipped: { already_opted_out: them.length - done } };
      };
    case "erase":
      return async (ctx, caller, them) => {
        const done = await eraseContacts(ctx, caller, idsOf(them));
        return { done, skipped: { not_found: them.length - done } };
      };
  }
}

const idsOf = (them: readonly ChosenContact[]): Uuid[] => them.map(({ id }) => id);
const phonesOf = (them: readonly ChosenContact[]): string[] => them.map(({ phone }) => phone);

function tagOf(tag: string | undefined): string {
  const word = tag?.trim();
  if (!word) throw invalidField("tag", "is required to tag and untag");
  if (/[,;]/.test(word)) throw invalidField("tag", "must not have a comma or semicolon");
  return word;
}

function withTag(action: "tag" | "untag", word: string): Runner {
  return async (ctx, { tenantId }, them) => {
    const { changed, had } = await ctx.db.transaction(async (tx) => {
      const now = await tenants.tenantNow(tx, tenantId, ctx.now());
      const had = await summed(them, (ids) => chosen.countTagged(tx, tenantId, ids, word));
      const change = action === "tag" ? chosen.tag : chosen.untag;
      const changed = await eachPiece(them, (ids) => change(tx, tenantId, ids, word, now));
      ctx.audit.note({ counts: { changed: changed.length } });
      return { had, changed };
    });
    if (action === "untag")
      return { done: changed.length, changed, skipped: { not_tagged: them.length - changed.length } };
    const left = them.length - changed.length;
    const already = Math.min(had, left);
    return { done: changed.length, changed, skipped: { already_tagged: already, too_many_tags: left - already } };
  };
}

function withList(action: "add_to_list" | "remove_from_list", listId: Uuid): Runner {
  const change = action === "add_to_list" ? chosen.addToList : chosen.removeFromList;
  return async (ctx, { tenantId }, them) => {
    const changed = await ctx.db.transaction(async (tx) => {
      // It may have been deleted since it was found.
      if (!(await lists.hold(tx, tenantId, listId))) throw notFound("List", "list_id");
      const changed = await eachPiece(them, (ids) => change(tx, tenantId, listId, ids));
      ctx.audit.note({ counts: { changed: changed.length } });
      return changed;
    });
    const left = them.length - changed.length;
    const skipped = action === "add_to_list" ? { already_on_list: left } : { not_on_list: left };
    return { done: changed.length, changed, skipped };
  };
}

const mayCall =
  (organizationId: Uuid): Runner =>
  async (ctx, caller, them) => {
    const phones = phonesOf(them);
    const removed = new Set(await removePhones(ctx, caller, phones, organizationId));
    const left = phones.filter((phone) => !removed.has(phone));
    const forAll = await doNotCall.ofAllOrganizations(ctx.db, caller.tenantId, left);
    const skipped = { listed_for_all_organizations: forAll.size, not_listed: left.length - forAll.size };
    return { done: removed.size, skipped };
  };

async function eachPiece(
  them: readonly ChosenContact[],
  change: (ids: readonly Uuid[]) => Promise<Uuid[]>,
): Promise<Uuid[]> {
  const changed: Uuid[] = [];
  for (const piece of piecesOf(inOrder(them), CONTACTS_A_STATEMENT)) changed.push(...(await change(idsOf(piece))));
  return changed;
}

async function summed(
  them: readonly ChosenContact[],
  count: (ids: readonly Uuid[]) => Promise<number>,
): Promise<number> {
  let sum = 0;
  for (const piece of piecesOf(them, CONTACTS_A_STATEMENT)) sum += await count(idsOf(piece));
  return sum;
}

/** Of phones, as imports lock contacts. */
const inOrder = (them: readonly ChosenContact[]) => them.toSorted((a, b) => (a.phone < b.phone ? -1 : 1));

/** A list of the organization, else a 404 about this field. */
async function requireList(
  ctx: Context,
  { tenantId }: Caller,
  organizationId: Uuid,
  id: Uuid | undefined,
  field: "list_id" | "filter.list_id",
) {
  if (id === undefined) return;
  const list = await lists.find(ctx.db, tenantId, id);
  if (!list || list.organization_id !== organizationId) throw notFound("List", field);
}

async function choose(
  ctx: Context,
  caller: Caller,
  organizationId: Uuid,
  by: ChosenBy,
): Promise<readonly ChosenContact[]> {
  const { tenantId } = caller;
  if ("ids" in by) return chosen.byIds(ctx.db, tenantId, organizationId, by.ids);
  await requireList(ctx, caller, organizationId, by.listId, "filter.list_id");
  const wanted = { ...by, search: contactSearch(by.search ?? "") };
  const them: ChosenContact[] = [];
  for (let before: Uuid | undefined = LAST_ID; before !== undefined; ) {
    const page: PageRequest = { before, limit: CONTACTS_A_STATEMENT };
    const rows = await foundContacts.list(ctx.db, tenantId, organizationId, { ...wanted, ...page });
    const found = rows.slice(0, CONTACTS_A_STATEMENT);
    for (const { id, phone } of found) them.push({ id, phone });
    if (them.length > MAX_MATCHED) throw tooMany(undefined, MAX_MATCHED, "can be changed at once");
    before = found.length < CONTACTS_A_STATEMENT ? undefined : found.at(-1)!.id;
  }
  return them;
}

function tooMany(count: number | undefined, most: number, what: string) {
  const many = count === undefined ? `more than ${most}` : String(count);
  return failure("payload_too_large", `filter matches ${many} contacts; ${most} is the most that ${what}`);
}
