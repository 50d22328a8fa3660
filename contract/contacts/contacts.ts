import { Type } from "typebox";
import { former } from "#contract/values/names.ts";
import { operation } from "#contract/values/operation.ts";
import {
  freeText,
  id,
  named,
  nullable,
  page,
  paging,
  phone,
  tenantId,
  text,
  timestamp,
} from "#contract/values/shapes.ts";

const tag = "Contacts";
/** How many contacts a request brings at most. */
export const MAX_LEADS = 100_000;

/** Any other field of a contact: stored as it comes, and usable as {{name}} or {{name|fallback}} in texts. */
const Scalar = Type.Unsafe<string | number | boolean | null>({
  type: ["string", "number", "boolean", "null"],
  maxLength: 10_000,
});

/** What else a contact may have: fields of any name, as many as make sense. */
const furtherFields = {
  additionalProperties: Scalar,
  propertyNames: Type.String({ minLength: 1, maxLength: 100 }),
  maxProperties: 200,
};

const value = () => Type.Optional(nullable(Type.String({ maxLength: 10_000 })));

const contactFields = {
  first_name: value(),
  last_name: value(),
  middle_name: value(),
  email: value(),
  birthday: Type.Optional(nullable(Type.String({ pattern: "^(\\d{4}-\\d{2}-\\d{2})?$", description: "YYYY-MM-DD" }))),
  address_line_1: value(),
  address_line_2: value(),
  city: value(),
  state: value(),
  zip_code: value(),
  country: value(),
  company_name: value(),
  company_position: value(),
  company_industry: value(),
  lead_source: value(),
  lead_status: value(),
  lead_priority: value(),
  external_id: value(),
  tags: Type.Optional(
    Type.Unsafe<string | number | boolean | null>({
      ...Scalar,
      description: "Words by which contacts are found, separated by commas",
    }),
  ),
  notes: value(),
  fico_score: value(),
  loan_balance: value(),
  interest_rate: value(),
  lender_name: value(),
  loan_type: Type.Optional(Scalar),
  debt_balance: Type.Optional(Scalar),
  opportunity_value: Type.Optional(Scalar),
  client_goal: Type.Optional(Scalar),
  npn: Type.Optional(Scalar),
  crd: Type.Optional(Scalar),
  time_zone: Type.Optional(
    nullable(
      Type.String({
        maxLength: 10_000,
        description:
          "An IANA name, such as America/Denver. One that is none is not heeded, and named in the warnings of a list or campaign: the address or the number then says where the contact may be",
      }),
    ),
  ),
  consent_basis: Type.Optional(
    nullable(
      Type.String({
        description:
          "What outreach to this contact rests on: express_written, express, existing_business_relationship, inquiry or none. Recorded as its consent; it never undoes an opt-out",
      }),
    ),
  ),
  consent_at: value(),
  consent_source: value(),
  consent_proof: value(),
};

/** A contact as callers send it, in lists and campaigns alike. */
export const ContactInput = Type.Object(
  {
    phone_number: Type.Optional(
      nullable(
        Type.String({
          description:
            "Phone number, best in E.164. A contact without a usable number is left out and reported or counted",
        }),
      ),
    ),
    ...contactFields,
  },
  {
    title: "ContactInput",
    ...furtherFields,
    description:
      "A contact. Fields of any other name are stored too: a string of up to 10,000 characters, a number, a boolean or null",
  },
);

/** Contacts of a request that were not taken, and why: of a list and of a campaign alike. */
export const leftOutOf = (description: string, reasons: string) =>
  Type.Array(
    Type.Object({
      index: Type.Integer({ description: "Its place in the request's array" }),
      value: nullable(Type.String({ description: "Its number: in E.164 if it is one, else as it was given" })),
      reason: Type.String({ description: reasons }),
      error: Type.String({ description: "The reason in words" }),
      duplicate_of: nullable(
        Type.Integer({ description: "The index of the first lead with this number, which is taken" }),
      ),
    }),
    { maxItems: MAX_LEADS, description },
  );

/** What a phone's line may be. */
export const LINE_TYPES = ["mobile", "landline", "voip", "fixed_voip", "toll_free", "other", "unknown"] as const;

const ContactLine = named("ContactLine", {
  line_type: Type.Enum(LINE_TYPES),
  takes_texts: Type.Boolean(),
  carrier_name: nullable(Type.String({ description: "The phone's own carrier" })),
  looked_up_at: timestamp(),
});

export const Contact = Type.Object(
  {
    unique_id: Type.String(),
    organization_id: Type.String(),
    phone_number: Type.String(),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  { title: "Contact", additionalProperties: true, description: "A contact with every stored field at the top level" },
);

const ListedContact = Type.Object(
  {
    ...Contact.properties,
    opted_out_at: nullable(Type.String({ format: "date-time", description: "Of its number, for the whole tenant" })),
  },
  {
    title: "ListedContact",
    additionalProperties: true,
    description: "A contact with every stored field, and whether it is opted out",
  },
);

export const LineLookup = named("LineLookup", {
  status: Type.Enum(["importing", "waiting", "completed", "failed"], {
    description: "importing: it begins once the list's import is over; waiting: it goes on; failed: it was given up",
  }),
  looked_up: Type.Integer({ description: "Phones that were looked up, each of which is paid for" }),
  error: nullable(Type.String()),
});

export const ContactList = named("ContactList", {
  list_id: Type.String(),
  list_name: Type.String(),
  organization_id: Type.String(),
  user_id: Type.String(),
  count: Type.Integer({ description: "Contacts in it" }),
  created_at: timestamp(),
  line_lookup: nullable(LineLookup),
});

const listFields = {
  list_name: text(200),
  organization_id: id("organization"),
  user_id: id("user"),
  tenant_id: tenantId(),
};

/** What is checked of a list's body by schema; its contacts are read one by one, for speed. */
export const ContactListBody = named("ContactListBody", { ...listFields, contacts: Type.Array(Type.Unknown()) });

export const createContactList = operation({
  id: "createContactList",
  method: "POST",
  path: "/v1/contacts/lists",
  tag,
  summary:
    "Store a list of up to 100,000 contacts, of several with one number the first; a number that is known gets the given fields",
  scope: "write",
  bulk: true,
  bodyLimit: 64 * 1024 * 1024,
  body: Type.Object({ ...listFields, contacts: Type.Array(ContactInput, { maxItems: MAX_LEADS }) }),
  status: 201,
  response: Type.Object({
    count: Type.Integer(),
    leads: Type.Array(Contact),
    list_id: Type.String(),
    invalid: Type.Array(Type.Object({ index: Type.Integer(), error: Type.String() }), {
      description: "Contacts without a usable number",
    }),
    left_out: leftOutOf(
      "Contacts of the request that are left out, in its order: those of invalid, and those whose number came before",
      "invalid_number or duplicate",
    ),
  }),
});

export const listContactLists = operation({
  id: "listContactLists",
  method: "GET",
  path: "/v1/contacts/lists",
  tag,
  summary: "List the contact lists of an organization, newest first",
  scope: "read",
  replica: true,
  query: Type.Object({ organization_id: id("organization"), tenant_id: tenantId(), ...paging }),
  status: 200,
  response: page("lists", ContactList),
});

const listParams = Type.Object({ list_id: id("list") });

export const getContactList = operation({
  id: "getContactList",
  method: "GET",
  path: "/v1/contacts/lists/:list_id",
  tag,
  summary: "Get a contact list",
  scope: "read",
  params: listParams,
  status: 200,
  response: Type.Object({ list: ContactList }),
});

export const deleteContactList = operation({
  id: "deleteContactList",
  method: "DELETE",
  path: "/v1/contacts/lists/:list_id",
  tag,
  summary: "Delete a list; its contacts stay",
  scope: "write",
  params: listParams,
  status: 200,
  response: Type.Object({ list_id: Type.String() }),
});

export const listContactsOfList = operation({
  id: "listContactsOfList",
  method: "GET",
  path: "/v1/contacts/lists/:list_id/leads",
  tag,
  summary: "List the contacts of a list, newest first",
  scope: "read",
  replica: true,
  params: listParams,
  query: Type.Object({ ...paging }),
  status: 200,
  response: page("leads", Contact),
});

export const listContacts = operation({
  id: "listContacts",
  method: "GET",
  path: "/v1/contacts/leads",
  tag,
  summary: "List or find the contacts of an organization, newest first",
  scope: "read",
  replica: true,
  query: Type.Object({
    organization_id: id("organization"),
    phone_number: Type.Optional({ ...phone(), description: "In any notation: the one contact with it" }),
    external_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "The caller's own id, exactly: the contacts with it" }),
    ),
    search: Type.Optional(
      freeText(
        100,
        "The beginning of a first or last name, of both, or of a phone number: `ann sm`, `(212) 555`. Or a US number without its area code: `555-0152`",
      ),
    ),
    list_id: Type.Optional(id("list: its contacts alone")),
    opted_out: Type.Optional(Type.Boolean({ description: "Only those whose number is opted out, or is not" })),
    tag: Type.Optional(text(50, "Only those who have this tag, in whatever letters")),
    tenant_id: tenantId(),
    ...paging,
  }),
  status: 200,
  response: page("leads", ListedContact),
});

const leadParams = Type.Object({ lead_id: id("contact") });

export const getContact = operation({
  id: "getContact",
  method: "GET",
  path: "/v1/contacts/leads/:lead_id",
  tag,
  summary: "Get a contact",
  scope: "read",
  params: leadParams,
  status: 200,
  response: Type.Object({
    lead: Contact,
    line: nullable(ContactLine),
  }),
});

export const TimelineEntry = named("TimelineEntry", {
  channel: Type.Enum(["sms", "voice"]),
  id: Type.String({ description: "The message's or the call's" }),
  at: Type.String({ format: "date-time", description: "When it left or came; of what waits, when it is due" }),
  direction: Type.Enum(["inbound", "outbound"]),
  status: Type.String({ description: "Of the message, or call_status of the call" }),
  state: former("status", Type.String()),
  kind: Type.String({ description: "Of the message, or the call's purpose" }),
  reason: nullable(Type.String()),
  text: nullable(Type.String({ description: "Of the message, or the call's summary" })),
  media_count: Type.Integer({ description: "How many pictures and other files came or went with the text" }),
  call_result: nullable(Type.String({ description: "Of the call, as in `GET /v1/voice/calls`" })),
  call_duration_ms: nullable(Type.Integer()),
  duration_ms: former("call_duration_ms", nullable(Type.Integer())),
  phone_number: Type.String({ description: "The contact's, as it was" }),
  campaign_id: nullable(Type.String()),
  campaign_name: nullable(Type.String()),
  thread_id: nullable(Type.String()),
});

export const listContactTimeline = operation({
  id: "listContactTimeline",
  method: "GET",
  path: "/v1/contacts/leads/:lead_id/timeline",
  tag,
  summary: "List every text and call with a contact, newest first; what waits comes with when it is due",
  scope: "read",
  replica: true,
  params: leadParams,
  query: Type.Object({ ...paging }),
  status: 200,
  response: page("entries", TimelineEntry),
});

export const updateContact = operation({
  id: "updateContact",
  method: "PATCH",
  path: "/v1/contacts/leads/:lead_id",
  tag,
  summary: "Change the given fields of a contact; null clears one",
  scope: "write",
  byAgents: true,
  params: leadParams,
  body: Type.Object({ phone_number: Type.Optional(phone()), ...contactFields }, furtherFields),
  status: 200,
  response: Type.Object({ lead: Contact, message: Type.String() }),
});

export const deleteContact = operation({
  id: "deleteContact",
  method: "DELETE",
  path: "/v1/contacts/leads/:lead_id",
  tag,
  summary: "Erase a contact's personal data; its opt-out stays",
  scope: "write",
  params: leadParams,
  status: 200,
  response: Type.Object({ unique_id: Type.String(), message: Type.String() }),
});
