import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, instant, named, nullable, page, paging, tenantId, text, timestamp } from "#contract/values/shapes.ts";

const tag = "Audit log";

const Actor = Type.Enum(["person", "key", "command", "system", "unknown"], {
  description: "unknown: whoever was refused; command: whoever runs the command line on the server",
});
const Outcome = Type.Enum(["done", "refused"], { description: "refused: an attempt that changed nothing" });

export const AuditEntry = named("AuditEntry", {
  entry_id: id("entry"),
  seq: nullable(Type.Integer({ description: "Its place in the hash chain; null for the second until it has one" })),
  at: timestamp(),
  mode: nullable(Type.Enum(["live", "test"], { description: "Null for what is both modes'" })),
  actor: Actor,
  actor_id: nullable(Type.String({ description: "Of the user or the API key" })),
  actor_name: nullable(
    Type.String({
      description: "As the user or the key is called now; of a command the operating system's user, and the machine",
    }),
  ),
  session_id: nullable(Type.String()),
  address: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  request_id: nullable(Type.String({ description: "As `X-Request-Id` of the answer" })),
  operation: Type.String({ description: "An operationId, or what the system did" }),
  object: nullable(Type.String({ description: "What kind of thing was changed" })),
  object_id: nullable(Type.String()),
  organization_id: nullable(Type.String()),
  outcome: Outcome,
  before: nullable(Type.Unknown({ description: "Of the fields that differ. Secrets are left out" })),
  after: nullable(Type.Unknown()),
  asked: nullable(Type.Unknown({ description: "The request's body, where neither is known" })),
  counts: nullable(Type.Record(Type.String(), Type.Number())),
  reason: nullable(Type.String()),
});

const filters = {
  actor: Type.Optional(Actor),
  user_id: Type.Optional(id("user")),
  key_id: Type.Optional(id("API key")),
  operation: Type.Optional(text(100, "An operationId: `updateAgent`")),
  object: Type.Optional(text(100, "A kind of thing: `agent`")),
  object_id: Type.Optional(text(200, "The id of a thing")),
  outcome: Type.Optional(Outcome),
  begin: Type.Optional(instant("From this time on")),
  end: Type.Optional(instant("Before this time")),
  search: Type.Optional(text(200, "Words in the operation, the address, the id or what was changed")),
  tenant_id: tenantId(),
};

export const listAudit = operation({
  id: "listAudit",
  method: "GET",
  path: "/v1/audit",
  tag,
  summary: "List who changed what, newest first: of both modes of the tenant",
  scope: "admin",
  tenantWide: true,
  query: Type.Object({ ...filters, ...paging }),
  status: 200,
  response: page("entries", AuditEntry),
});

export const exportAudit = operation({
  id: "exportAudit",
  method: "GET",
  path: "/v1/audit/export.csv",
  tag,
  summary: "Get the same as a file",
  scope: "admin",
  tenantWide: true,
  query: Type.Object(filters),
  csv: true,
  load: "list",
  status: 200,
  response: Type.Object({}),
});

export const AuditVerification = named("AuditVerification", {
  whole: Type.Boolean({ description: "Every link is as it was written" }),
  links: Type.Integer(),
  entries: Type.Integer({ description: "Links of other records have none" }),
  head: Type.String({ description: "The hash of the last link: what was noted of it elsewhere must be the same" }),
  fault: nullable(
    Type.Object({
      seq: Type.Integer({ description: "The first link that is not as it was written" }),
      problem: Type.String({ description: "In a sentence's words" }),
    }),
  ),
  restores: Type.Array(
    Type.Object({
      at: timestamp(),
      first_lost_seq: Type.Integer(),
      last_lost_seq: Type.Integer(),
    }),
    { description: "Restores of the database to an earlier day, and which links of before they lost" },
  ),
  verified_at: timestamp(),
});

export const verifyAudit = operation({
  id: "verifyAudit",
  method: "GET",
  path: "/v1/audit/verify",
  tag,
  summary:
    "Follow the hash chain from the first entry to the last; `parley audit verify` also compares it with the journals",
  scope: "admin",
  tenantWide: true,
  query: Type.Object({ tenant_id: tenantId() }),
  load: "list",
  status: 200,
  response: Type.Object({ verification: AuditVerification }),
});
