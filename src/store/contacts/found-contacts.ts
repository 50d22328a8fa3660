import type { Contact } from "#domain/contacts/contact.ts";
import type { ContactSearch } from "#domain/contacts/search.ts";
import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";
import { hasTag } from "./tags.ts";

/** A contact as lists show it: with when its number was opted out. */
export type FoundContact = Contact & { opted_out_at: Date | null };

export type ContactFilter = {
  /** A whole phone, in E.164, the caller's own id of a contact, or a search text. */
  search: { kind: "phone" | "external"; pattern: string } | ContactSearch | undefined;
  listId: Uuid | undefined;
  isOptedOut: boolean | undefined;
  /** That they have, in whatever letters. */
  tag: string | undefined;
};

/** As the partial indexes of 0019-contact-search.sql are made. */
const named = (field: string, pattern: string): string =>
  `(contact.fields ->> '${field}' <> '' and lower(contact.fields ->> '${field}') like ${pattern})`;

/** By what kind of search: the text of the condition on $7 and, of the end of a number, $8 and, of a name of several words, $8 to $10. */
const SEARCHES = {
  none: "true",
  phone: "contact.phone = $7",
  // As the partial index of 0045-contact-external-ids.sql is made.
  external:
    "contact.fields ->> 'external_id' <> '' and left(contact.fields ->> 'external_id', 200) = $7 and contact.fields ->> 'external_id' = $7",
  // Bounds of digits are bounds in any collation, as a pattern is not.
  number: "contact.phone >= $7 and contact.phone <= $7 || '9999999999999999'",
  // Of every area code, so that the index of numbers finds an end of one: an index of ends would cost each import.
  local: `(contact.phone >= $7 and contact.phone <= $7 || '9999999999999999' or contact.phone = any(array(
      select distinct '+1' || left(code::text, 10 - length($8::text)) || $8::text from generate_series(200, 999) as code)))`,
  name: `(${named("first_name", "$7")} or ${named("last_name", "$7")})`,
  // "van der" is the beginning of one name, "Ann van" of both, and "Mary de la" of each where the first name has more words.
  names: `(${named("first_name", "$7")} or ${named("last_name", "$7")})
     and (lower(concat_ws(' ', contact.fields ->> 'first_name', contact.fields ->> 'last_name')) like $8
       or ${named("last_name", "$8")} or ${named("first_name", "$9")} or ${named("last_name", "$9")}
       or ${named("last_name", "$10")})`,
} as const;
type Kind = keyof typeof SEARCHES;

const OPTED = {
  any: "",
  out: "and consent.opted_out_at is not null",
  in: "and consent.opted_out_at is null",
} as const;
type Opted = keyof typeof OPTED;

/** Each combination is a statement of its own, so that each has its own plan. */
const find = (kind: Kind, opted: Opted, list: "all" | "list", tag: "any" | "tagged") =>
  statement(
    `find-contacts-${kind}-${opted}-${list}-${tag}`,
    `select contact.id, contact.organization_id, contact.phone, contact.fields, contact.created_at, contact.updated_at,
       consent.opted_out_at
     from contacts contact
     left join consents consent on consent.tenant_id = $1 and consent.phone = contact.phone
     where contact.tenant_id = $1 and contact.organization_id = $2 and contact.id < $3 and contact.phone like '+%'
       and ${SEARCHES[kind]} ${OPTED[opted]}
       and ${
         list === "all"
           ? "$5::uuid is null"
           : "exists (select from list_members member where member.tenant_id = $1 and member.list_id = $5 and member.contact_id = contact.id)"
}
       and ${tag === "any" ? "$6::text is null" : `contact.fields ->> 'tags' <> '' and ${hasTag("contact.fields ->> 'tags'", "$6")}`}
     order by contact.id desc limit $4`,
  );

const STATEMENTS = new Map(
  (Object.keys(SEARCHES) as Kind[]).flatMap((kind) =>
    (Object.keys(OPTED) as Opted[]).flatMap((opted) =>
      (["all", "list"] as const).flatMap((list) =>
        (["any", "tagged"] as const).map(
          (tag) => [`${kind} ${opted} ${list} ${tag}`, find(kind, opted, list, tag)] as const,
        ),
      ),
    ),
  ),
);

function patternsOf(search: NonNullable<ContactFilter["search"]>): readonly string[] {
  if (search.kind === "names") return search.patterns;
  return search.kind === "local" ? [search.pattern, search.digits] : [search.pattern];
}

/** An organization's matching contacts, newest first, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  { search, listId, isOptedOut, tag, ...page }: ContactFilter & { before: Uuid; limit: number },
): Promise<FoundContact[]> {
  const opted = isOptedOut === undefined ? "any" : isOptedOut ? "out" : "in";
  const where = `${listId === undefined ? "all" : "list"} ${tag === undefined ? "any" : "tagged"}` as const;
  const found = STATEMENTS.get(`${search?.kind ?? "none"} ${opted} ${where}`)!;
  const patterns = search === undefined ? [] : patternsOf(search);
  return tx.rows<FoundContact>(found, [
    tenantId,
    organizationId,
    page.before,
    page.limit + 1,
    listId ?? null,
    tag?.trim() ?? null,
    ...patterns,
  ]);
}
