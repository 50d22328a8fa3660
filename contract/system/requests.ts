import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, page, paging, tenantId, text, timestamp } from "#contract/values/shapes.ts";

const tag = "Request log";

const Method = Type.Enum(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** domain/system/logged-request.ts says which request is of which. */
const CLASSES = ["administration", "change", "failed_change", "read", "failed_read"] as const;

export const LoggedRequest = named("LoggedRequest", {
  request_id: Type.String({ description: "As `X-Request-Id` of the answer" }),
  at: timestamp(),
  method: Method,
  path: Type.String({
    description: "Telephone numbers are masked, and so are values of the query that may be personal",
  }),
  operation: Type.String({ description: "Its operationId" }),
  class: Type.Enum([...CLASSES], {
    description:
      "What it counts with in the log: an admin's change (administration), another change, what was only read; failed_ from 400 up",
  }),
  status: Type.Integer(),
  ms: Type.Integer({ description: "From the request's head to the end of its answer" }),
  key_id: nullable(Type.String({ description: "Null for somebody who is signed in" })),
  user_id: nullable(Type.String({ description: "Who was signed in" })),
  answer: nullable(Type.String({ description: "Of an error, its first 2 kB" })),
});

export const listRequests = operation({
  id: "listRequests",
  method: "GET",
  path: "/v1/requests",
  tag,
  summary:
    "List the tenant's requests, newest first, some seconds behind: of the last seven days, and what admins changed in the last year",
  scope: "admin",
  replica: true,
  query: Type.Object({
    status: Type.Optional(
      Type.Enum(["succeeded", "failed", "refused", "broken"], {
        description: "failed is 400 and up: what was refused (4xx), or what broke on our side (5xx)",
      }),
    ),
    method: Type.Optional(Method),
    class: Type.Optional(Type.Enum([...CLASSES])),
    by: Type.Optional(
      Type.Enum(["key", "person"], {
        description: "key: by an API key; person: by somebody signed in, as the console asks",
      }),
    ),
    operation: Type.Optional(text(100, "An operationId: `createCampaign`")),
    user_id: Type.Optional(id("user: what this one asked, signed in")),
    tenant_id: tenantId(),
    ...paging,
  }),
  status: 200,
  response: page("requests", LoggedRequest),
});
