import { useMemo } from "react";
import type { Item } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { contactName } from "./contact-fields.ts";

export type Contact = Item<"GET /v1/contacts/leads">;

/** A field of contacts, which a text can have as {{name}}; `example` is what one of them has there. */
export type Variable = { name: string; example: string };

/** Newest contacts that are looked at for the fields there are. */
const LOOKED_AT = 100;
const MAX_EXAMPLE = 40;

/** What every contact may have by name, whether one has it or not. */
const STANDARD = [
  "first_name",
  "last_name",
  "phone_number",
  "email",
  "company_name",
  "company_position",
  "city",
  "state",
  "zip_code",
  "birthday",
  "loan_type",
  "loan_balance",
  "interest_rate",
  "lender_name",
];
/** Ours, and nothing to say to a contact. */
const HIDDEN = new Set(["unique_id", "organization_id", "user_id", "created_at", "updated_at"]);

export type TemplateFields = {
  all: readonly Variable[];
  contacts: readonly Contact[];
  /** The contacts have been looked at: what is not among `all` is known to none of them. */
  isKnown: boolean;
};

/** The fields that texts can ask for, and whom to try them with: fields of the newest contacts first, then what any contact may have. */
export function useTemplateFields(): TemplateFields {
  const { organization_id } = useOrganization();
  const { data } = useAnswer("GET /v1/contacts/leads", { query: { organization_id, limit: LOOKED_AT } });
  return useMemo(() => {
    const contacts = data?.leads ?? [];
    const found = new Map<string, string>();
    for (const contact of contacts) {
      for (const [name, value] of Object.entries(contact)) {
        if (HIDDEN.has(name) || found.has(name) || value === null || value === "") continue;
        found.set(name, String(value).slice(0, MAX_EXAMPLE));
      }
    }
    for (const name of STANDARD) if (!found.has(name)) found.set(name, "");
    const all = [...found].map(([name, example]) => ({ name, example }));
    return { all, contacts, isKnown: data !== undefined };
  }, [data]);
}

/** The fields that a text asks for without a fallback and that none of `variables` is. */
export function unknownIn(text: string, { all, isKnown }: TemplateFields): string[] {
  if (!isKnown) return [];
  const known = new Set(all.map(({ name }) => name));
  const asked = [...text.matchAll(/\{\{([^{}|\n]+)\}\}/g)].map(([, name]) => name!.trim());
  return [...new Set(asked)].filter((name) => name !== "" && !known.has(name));
}

/** How a contact is called where one is chosen. */
export function contactLabel(contact: Contact): string {
  const name = contactName(contact);
  return name === undefined ? contact.phone_number : `${name} · ${contact.phone_number}`;
}

/** For trying things where there is no contact yet. */
export const MADE_UP_CONTACT = {
  first_name: "Alex",
  last_name: "Doe",
  phone_number: "+12125550123",
  company_name: "Acme",
  city: "New York",
};

/** A contact's own fields: without what is ours to say. */
export const ownFields = (contact: Contact): Record<string, unknown> =>
  Object.fromEntries(Object.entries(contact).filter(([name, value]) => !HIDDEN.has(name) && value !== null));
