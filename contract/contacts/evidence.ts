import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, named, tenantId } from "#contract/values/shapes.ts";

const tag = "Contacts";

export const getEvidence = operation({
  id: "getEvidence",
  method: "GET",
  path: "/v1/contacts/:lead_id/evidence",
  tag,
  summary: "Get all that is on record about a contact's number, as a signed archive",
  scope: "admin",
  tenantWide: true,
  params: Type.Object({ lead_id: id("contact, also one that was erased") }),
  query: Type.Object({
    recordings: Type.Optional(Type.Boolean({ description: "With the recordings' files, and not their digests alone" })),
    tenant_id: tenantId(),
  }),
  archive: true,
  audited: true,
  load: "list",
  status: 200,
  response: Type.Object({}),
});

export const EvidenceKey = named("EvidenceKey", {
  fingerprint: Type.String({ description: "SHA-256 of the key in DER" }),
  public_key: Type.String({ description: "Ed25519, in PEM" }),
  is_current: Type.Boolean({ description: "What is made now is signed with it" }),
});

export const getEvidenceKey = operation({
  id: "getEvidenceKey",
  method: "GET",
  path: "/v1/evidence/key",
  tag,
  summary: "Get the keys that archives of evidence are signed with, the newest first",
  scope: "read",
  query: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ keys: Type.Array(EvidenceKey) }),
});
