import { publicId, type Uuid } from "#domain/values/id.ts";
import type { LeadFields } from "./lead.ts";

/** A person of an organization, known by a phone number. `fields` are the caller's, `phone` is in E.164. */
export type Contact = {
  id: Uuid;
  organization_id: Uuid;
  phone: string;
  fields: LeadFields;
  created_at: Date;
  updated_at: Date;
};

/** A contact as the API returns it: every stored field at the top level, beside our own. */
export function contactRecord(contact: Contact): Record<string, unknown> {
  return {
    unique_id: publicId("contact", contact.id),
    organization_id: publicId("organization", contact.organization_id),
    phone_number: contact.phone,
    ...contact.fields,
    created_at: contact.created_at.toISOString(),
    updated_at: contact.updated_at.toISOString(),
  };
}
