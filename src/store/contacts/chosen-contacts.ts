import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";
import * as lists from "./lists.ts";
import { hasTag, tagsOf } from "./tags.ts";

/** A contact that somebody chose together with others. */
export type ChosenContact = { id: Uuid; phone: string };

const LIVE = "phone like '+%'";

const chosenById = statement(
  "choose-contacts",
  `select id, phone from contacts
   where tenant_id = $1 and organization_id = $2 and id = any($3::uuid[]) and ${anyOf("id")} and ${LIVE}`,
);

/** Those of the organization; others are not among them. */
export function byIds(tx: Tx, tenantId: Uuid, organizationId: Uuid, ids: readonly Uuid[]): Promise<ChosenContact[]> {
  return tx.rows<ChosenContact>(chosenById, [tenantId, organizationId, ids]);
}

// Locked in the order of phones, as imports lock them.
const LOCKED = `locked as (
     select id, fields ->> 'tags' as tags from contacts
     where tenant_id = $1 and id = any($2::uuid[]) and ${anyOf("id")} and ${LIVE} order by phone for update)`;
const MAX_LENGTH = 10_000;

const addTag = changingAndReading(
  "tag-contacts",
  `with ${LOCKED},
   wanted as (select id, case when trim(coalesce(tags, '')) = '' then $3::text else tags || ', ' || $3 end as tags
     from locked where not ${hasTag("locked.tags", "$3")})
   update contacts contact set fields = contact.fields || jsonb_build_object('tags', wanted.tags), updated_at = $4
   from wanted where contact.tenant_id = $1 and contact.id = wanted.id and length(wanted.tags) <= ${MAX_LENGTH}
   returning contact.id`,
);

const removeTag = changingAndReading(
  "untag-contacts",
  `with ${LOCKED},
   left_tags as (select id, (select string_agg(trim(word.text), ', ' order by word.place) from ${tagsOf("locked.tags")}
       where lower(trim(word.text)) <> lower($3::text)) as tags
     from locked where ${hasTag("locked.tags", "$3")}),
   -- The object is made here: a distributed database makes none in the middle of an update.
   wanted as (select id, tags, jsonb_build_object('tags', tags) as field from left_tags)
   update contacts contact set updated_at = $4,
     fields = case when wanted.tags is null then contact.fields - 'tags'
       else contact.fields || wanted.field end
   from wanted where contact.tenant_id = $1 and contact.id = wanted.id
   returning contact.id`,
);

const tagged = statement(
  "count-tagged-contacts",
  `select count(*)::int as n from contacts
   where tenant_id = $1 and id = any($2::uuid[]) and ${anyOf("id")} and ${hasTag("fields ->> 'tags'", "$3")}`,
);

/** Writes a tag to those that lack it, if it fits. Answers with their ids. */
export async function tag(tx: Tx, tenantId: Uuid, ids: readonly Uuid[], word: string, at: Date): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(addTag, [tenantId, ids, word, at])).map((row) => row.id);
}

/** Takes a tag away from those that have it. Answers with their ids. */
export async function untag(tx: Tx, tenantId: Uuid, ids: readonly Uuid[], word: string, at: Date): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(removeTag, [tenantId, ids, word, at])).map((row) => row.id);
}

/** How many of these have the tag. */
export async function countTagged(tx: Tx, tenantId: Uuid, ids: readonly Uuid[], word: string): Promise<number> {
  return (await tx.first<{ n: number }>(tagged, [tenantId, ids, word]))!.n;
}

const holdContacts = statement(
  "hold-contacts",
  `select id from contacts
   where tenant_id = $1 and id = any($2::uuid[]) and ${anyOf("id")} and ${LIVE} order by phone for key share`,
);

/** Puts contacts on a list, unless they are erased meanwhile. Answers with the ids of those who were not on it. */
export async function addToList(tx: Tx, tenantId: Uuid, listId: Uuid, ids: readonly Uuid[]): Promise<Uuid[]> {
  const held = (await tx.rows<{ id: Uuid }>(holdContacts, [tenantId, ids])).map((row) => row.id);
  return lists.addMembers(tx, tenantId, listId, held);
}

const quitList = changing(
  "take-contacts-off-list",
  `delete from list_members where tenant_id = $1 and list_id = $2 and contact_id = any($3::uuid[])
     and ${anyOf("contact_id")} returning contact_id as id`,
);

/** Takes contacts off a list. Answers with the ids of those who were on it. */
export async function removeFromList(tx: Tx, tenantId: Uuid, listId: Uuid, ids: readonly Uuid[]): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(quitList, [tenantId, listId, ids])).map((row) => row.id);
}
