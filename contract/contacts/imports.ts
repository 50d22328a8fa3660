import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, page, paging, tenantId, text, timestamp } from "#contract/values/shapes.ts";

const tag = "Contacts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const ContactImport = named("ContactImport", {
  import_id: Type.String(),
  organization_id: Type.String(),
  user_id: Type.String(),
  list_id: Type.String({ description: "The list that it fills" }),
  file_name: Type.String(),
  encoding: Type.String(),
  delimiter: Type.String(),
  columns: Type.Array(Type.Object({ column: Type.String(), field: nullable(Type.String()) })),
  status: Type.Enum(["waiting", "running", "completed", "failed", "undoing", "undone"]),
  error: nullable(Type.String({ description: "Why it failed; rows before that are imported" })),
  progress: Type.Number({ minimum: 0, maximum: 1, description: "Share of the file that has been read" }),
  rows: count("Rows read so far, the header and blank ones left out: the sum of the four counts"),
  created: count("Rows that made a contact"),
  updated: count("Rows whose number was known: it has been given their fields"),
  skipped: count("Rows whose number came before in the file: their fields count, the contact is one"),
  failed: count("Rows that could not be taken; see errors.csv"),
  undo: nullable(
    Type.Object({
      removed: count("Contacts that the import had made"),
      restored: count("Contacts whose fields are as before"),
      kept: count("Contacts that have been changed or used since, or had nothing to restore"),
    }),
  ),
  created_at: timestamp(),
  finished_at: nullable(timestamp()),
});

export const startImport = operation({
  id: "startImport",
  method: "POST",
  path: "/v1/contacts/imports",
  tag,
  summary: "Import contacts from a CSV file, of a million rows and more",
  scope: "write",
  upload: true,
  load: "bulk",
  body: Type.Object({
    file: Type.String({ format: "binary", description: "CSV with a header row" }),
    organization_id: id("organization"),
    user_id: id("user"),
    list_name: Type.Optional(
      text(200, "Name of the list that the contacts are added to; the file's name unless given"),
    ),
    mapping: Type.Optional(
      Type.String({
        maxLength: 200_000,
        description:
          'JSON: {"column": "field"}, one of them phone_number; columns that are not named are passed over. Without it each column fills the field of its own name',
      }),
    ),
    delimiter: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 10,
        description: "comma, semicolon, tab or pipe; found out unless given",
      }),
    ),
    encoding: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 10,
        description:
          "utf-8, utf-16le, utf-16be or latin1 (Windows 1252). Found out unless given: by the byte order mark, else UTF-8 when all of the file is that, else latin1",
      }),
    ),
    look_up_lines: Type.Optional(
      Type.Enum(["true", "false"], {
        description:
          "true: once it is over, the lines of its phones that are not known are looked up, each paid for by the account; how far that is shows at its list. 409 where the file's rows cost more than is left of the day's spend limit. Live keys alone",
      }),
    ),
    tenant_id: tenantId(),
  }),
  status: 202,
  response: Type.Object({
    import: ContactImport,
    look_up: nullable(
      Type.Object(
        {
          most: Type.Integer({ description: "As many rows as the file has: phones that are known are not looked up" }),
          price_per_lookup: Type.String({ description: "In `currency`" }),
          amount: Type.String({ description: "In `currency`, of `most`" }),
          currency: Type.String({ description: "ISO 4217, such as USD" }),
        },
        { description: "What look_up_lines costs at most; null without it" },
      ),
    ),
  }),
});

export const listImports = operation({
  id: "listImports",
  method: "GET",
  path: "/v1/contacts/imports",
  tag,
  summary: "List the imports of an organization, newest first",
  scope: "read",
  replica: true,
  query: Type.Object({ organization_id: id("organization"), tenant_id: tenantId(), ...paging }),
  status: 200,
  response: page("imports", ContactImport),
});

const params = Type.Object({ import_id: id("import") });

export const getImport = operation({
  id: "getImport",
  method: "GET",
  path: "/v1/contacts/imports/:import_id",
  tag,
  summary: "Get an import: how far it is, and what became of its rows",
  scope: "read",
  params,
  status: 200,
  response: Type.Object({ import: ContactImport }),
});

export const getImportErrors = operation({
  id: "getImportErrors",
  method: "GET",
  path: "/v1/contacts/imports/:import_id/errors.csv",
  tag,
  summary: "Get the rows that could not be taken, each with its number in the file and the reason",
  scope: "read",
  replica: true,
  params,
  csv: true,
  load: "list",
  status: 200,
  response: Type.Object({}),
});

export const listImportErrors = operation({
  id: "listImportErrors",
  method: "GET",
  path: "/v1/contacts/imports/:import_id/errors",
  tag,
  summary: "List the rows that could not be taken, in the file's order",
  scope: "read",
  replica: true,
  params,
  query: Type.Object({ ...paging }),
  status: 200,
  response: page(
    "errors",
    Type.Object({
      row: Type.Integer({ description: "As a spreadsheet counts: the header is row 1" }),
      reason: Type.String(),
      cells: Type.Array(Type.String(), { description: "The row as it is in the file" }),
    }),
  ),
});

export const undoImport = operation({
  id: "undoImport",
  method: "POST",
  path: "/v1/contacts/imports/:import_id/undo",
  tag,
  summary: "Take an import back: what it made and changed, unless it has been used or changed since",
  scope: "write",
  params,
  status: 202,
  response: Type.Object({ import: ContactImport }),
});

export const exportContacts = operation({
  id: "exportContacts",
  method: "GET",
  path: "/v1/contacts/leads/export.csv",
  tag,
  summary: "Get every contact of an organization as a file",
  scope: "read",
  replica: true,
  query: Type.Object({ organization_id: id("organization"), tenant_id: tenantId() }),
  csv: true,
  load: "list",
  status: 200,
  response: Type.Object({}),
});

export const exportVoiceCampaignLeads = operation({
  id: "exportVoiceCampaignLeads",
  method: "GET",
  path: "/v1/voice/campaigns/:campaign_id/leads/export.csv",
  tag: "Voice campaigns",
  summary: "Get every lead of a voice campaign, with how its last call ended, as a file",
  scope: "read",
  replica: true,
  params: Type.Object({ campaign_id: id("campaign") }),
  csv: true,
  load: "list",
  status: 200,
  response: Type.Object({}),
});

export const exportCampaignLeads = operation({
  id: "exportCampaignLeads",
  method: "GET",
  path: "/v1/campaigns/:campaign_id/leads/export.csv",
  tag: "SMS campaigns",
  summary: "Get every lead of a campaign, with what has become of it, as a file",
  scope: "read",
  replica: true,
  params: Type.Object({ campaign_id: id("campaign") }),
  csv: true,
  load: "list",
  status: 200,
  response: Type.Object({}),
});
