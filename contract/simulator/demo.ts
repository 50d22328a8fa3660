import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { named, nullable, tenantId, timestamp } from "#contract/values/shapes.ts";

const tag = "Demo data";

const Demo = named("Demo", {
  status: Type.Enum(["absent", "loading", "loaded", "failed", "removing"], {
    description: "loaded: everything is made, and its campaigns run; failed: `problem` says why, and POST goes on",
  }),
  step: nullable(Type.String({ description: "What is being done, in words; null while nothing is" })),
  done: Type.Integer({ description: "Steps that are behind it" }),
  total: Type.Integer({ description: "Steps in all" }),
  problem: nullable(Type.String()),
  organization_ids: Type.Array(Type.String(), { description: "The organizations that it consists of" }),
  started_at: nullable(timestamp()),
  finished_at: nullable(timestamp()),
});

const response = Type.Object({ demo: Demo });

export const loadDemo = operation({
  id: "loadDemo",
  method: "POST",
  path: "/v1/demo",
  tag,
  summary: "Load demo data on simulated phones, in the background; loaded twice it is there once",
  scope: "send",
  tenantWide: true,
  testKeysOnly: true,
  body: Type.Object({ tenant_id: tenantId() }),
  status: 202,
  response,
});

export const getDemo = operation({
  id: "getDemo",
  method: "GET",
  path: "/v1/demo",
  tag,
  summary: "How far loading or removing the demo data has come",
  scope: "read",
  testKeysOnly: true,
  status: 200,
  response,
});

export const removeDemo = operation({
  id: "removeDemo",
  method: "DELETE",
  path: "/v1/demo",
  tag,
  summary: "Remove the demo data, whole organizations with all that they have, in the background",
  scope: "write",
  tenantWide: true,
  testKeysOnly: true,
  status: 202,
  response,
});
