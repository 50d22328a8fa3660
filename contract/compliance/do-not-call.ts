import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { freeText, id, named, nullable, page, paging, phone, tenantId, timestamp } from "#contract/values/shapes.ts";

const tag = "Do not call";

export const DoNotCallEntry = named("DoNotCallEntry", {
  phone_number: Type.String(),
  organization_id: nullable(Type.String({ description: "null: the entry holds for all organizations" })),
  reason: nullable(Type.String()),
  created_at: timestamp(),
  source: nullable(
    Type.String({
      description:
        "person: in the console. api: by an API key. import: with a list. journal: brought back after a restore. null: not known",
    }),
  ),
  added_by: nullable(
    Type.Object({ unique_id: Type.String(), name: Type.String() }, { description: "The user, where it was one" }),
  ),
});

const reason = () => Type.Optional(freeText(500));
const organization = () => Type.Optional(id("organization"));

export const addDoNotCall = operation({
  id: "addDoNotCall",
  method: "POST",
  path: "/v1/dnc/add",
  tag,
  summary: "Never contact a phone number again, by text or call; a number that is listed stays as it is",
  scope: "write",
  byAgents: true,
  load: "inbound",
  body: Type.Object({
    phone_number: phone(),
    organization_id: organization(),
    reason: reason(),
    tenant_id: tenantId(),
  }),
  status: 201,
  response: Type.Object({ entry: DoNotCallEntry }),
});

export const removeDoNotCall = operation({
  id: "removeDoNotCall",
  method: "POST",
  path: "/v1/dnc/remove",
  tag,
  summary: "Take a phone number off the list: of one organization, or of all. An opt-out of the contact's own stays",
  scope: "write",
  body: Type.Object({ phone_number: phone(), organization_id: organization(), tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ phone_number: Type.String(), removed: Type.Integer({ description: "Entries taken off" }) }),
});

export const listDoNotCall = operation({
  id: "listDoNotCall",
  method: "GET",
  path: "/v1/dnc",
  tag,
  summary: "List the do-not-call entries by phone number",
  scope: "read",
  query: Type.Object({
    phone_number: Type.Optional(phone()),
    organization_id: organization(),
    tenant_id: tenantId(),
    ...paging,
  }),
  status: 200,
  response: page("entries", DoNotCallEntry),
});

export const exportDoNotCall = operation({
  id: "exportDoNotCall",
  method: "GET",
  path: "/v1/dnc/export.csv",
  tag,
  summary: "Get the do-not-call entries as a file; `POST /v1/dnc/import` takes its first column again",
  scope: "read",
  query: Type.Object({ organization_id: organization(), tenant_id: tenantId() }),
  csv: true,
  load: "list",
  status: 200,
  response: Type.Object({}),
});

export const importDoNotCall = operation({
  id: "importDoNotCall",
  method: "POST",
  path: "/v1/dnc/import",
  tag,
  summary: "List up to 100,000 phone numbers, from an array or a file's text (`NPA,NXXXXXX` or a whole number a line)",
  scope: "write",
  load: "bulk",
  // 100,000 numbers of 40 characters, which is longer than any is written.
  bodyLimit: 5 * 1024 * 1024,
  body: Type.Object(
    {
      phone_numbers: Type.Optional(Type.Array(Type.String({ maxLength: 100 }))),
      file: Type.Optional(Type.String({ description: "The text of a national-registry file" })),
      organization_id: organization(),
      reason: reason(),
      tenant_id: tenantId(),
    },
    { anyOf: [{ required: ["file"] }, { required: ["phone_numbers"] }] },
  ),
  status: 201,
  response: Type.Object({
    count: Type.Integer({ description: "Distinct numbers of the import, all listed now" }),
    added: Type.Integer({ description: "Those that were not listed before" }),
    invalid: Type.Array(Type.Object({ index: Type.Integer(), error: Type.String() })),
  }),
});
