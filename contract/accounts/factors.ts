import { type Static, Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, tenantId, text, timestamp } from "#contract/values/shapes.ts";
import { SessionAnswer } from "./session.ts";

const tag = "Second factors";

/** Binary values as browsers have them in JSON: base64url. The longest are attestations of some kilobytes. */
const binary = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$", ...(description ? { description } : {}) });

const Kind = Type.Union([Type.Literal("totp"), Type.Literal("passkey")]);

export const Factor = named("Factor", {
  factor_id: Type.String(),
  kind: Kind,
  name: Type.String(),
  created_at: timestamp(),
  last_used_at: nullable(timestamp()),
});
export type Factor = Static<typeof Factor>;

const options = Type.Object(
  {},
  { additionalProperties: true, description: "For `PublicKeyCredential.parse...OptionsFromJSON` of the browser" },
);

/** A signature by a passkey, as `toJSON` of the browser's credential has it, by names of ours. */
const Signature = Type.Object(
  {
    credential: binary(1_400, "Its id"),
    client_data: binary(4_096, "clientDataJSON"),
    authenticator_data: binary(4_096, "authenticatorData"),
    signature: binary(4_096),
    user_handle: Type.Optional(binary(100, "userHandle")),
  },
  { description: "What `navigator.credentials.get` answered with" },
);

const recoveryCodes = () =>
  Type.Array(Type.String(), { description: "Each signs in once in place of a factor. Shown this once" });

export const proveSession = operation({
  id: "proveSession",
  method: "POST",
  path: "/v1/session/proof",
  tag,
  summary: "Show a second factor: completes a sign-in, or renews the proof that what changes how people sign in needs",
  scope: "read",
  caller: "person",
  during: ["factor", "enrolment"],
  body: Type.Object(
    {
      code: Type.Optional(Type.String({ minLength: 1, maxLength: 20, description: "Of the app, six digits" })),
      recovery_code: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
      passkey: Type.Optional(Signature),
      password: Type.Optional(
        Type.String({ minLength: 1, maxLength: 128, description: "Of a whole session, where there is no factor" }),
      ),
      tenant_id: tenantId(),
    },
    { description: "One of them" },
  ),
  errors: ["wrong_credentials"],
  status: 201,
  response: SessionAnswer,
});

export const createProofOptions = operation({
  id: "createProofOptions",
  method: "POST",
  path: "/v1/session/proof-options",
  tag,
  summary: "What the browser signs by to show a passkey, once, within five minutes",
  scope: "read",
  caller: "person",
  during: ["factor"],
  status: 201,
  response: Type.Object({ options }),
});

export const createSignInOptions = operation({
  id: "createSignInOptions",
  method: "POST",
  path: "/v1/session/passkey-options",
  tag,
  summary: "What the browser signs by to sign in with a passkey alone, once, within five minutes",
  scope: "read",
  caller: "anyone",
  status: 201,
  response: Type.Object({ options }),
});

export const signInByPasskey = operation({
  id: "signInByPasskey",
  method: "POST",
  path: "/v1/session/passkey",
  tag,
  summary: "Sign in with a passkey that its person has unlocked: it is both factors",
  scope: "read",
  caller: "anyone",
  body: Type.Object({ passkey: Signature }),
  errors: ["wrong_credentials", "sign_on_required"],
  status: 201,
  response: SessionAnswer,
});

export const listFactors = operation({
  id: "listFactors",
  method: "GET",
  path: "/v1/factors",
  tag,
  summary: "List one's own second factors, the oldest first, and how many recovery codes are left",
  scope: "read",
  caller: "person",
  query: Type.Object({ tenant_id: tenantId() }),
  during: ["enrolment"],
  status: 200,
  response: Type.Object({
    factors: Type.Array(Factor),
    recovery_codes_left: Type.Integer(),
    is_required: Type.Boolean({ description: "The tenant, or an organization of the user's, requires a factor" }),
    proof_until: nullable(
      Type.String({ format: "date-time", description: "Until when factors may be changed without showing one again" }),
    ),
  }),
});

export const createAppFactor = operation({
  id: "createAppFactor",
  method: "POST",
  path: "/v1/factors/app",
  tag,
  summary: "Begin with an app that shows codes (TOTP); it counts once a code of it has been sent",
  scope: "read",
  caller: "person",
  during: ["enrolment"],
  body: Type.Object({ name: text(100), tenant_id: tenantId() }),
  errors: ["proof_required"],
  status: 201,
  response: Type.Object({
    factor_id: Type.String(),
    secret: Type.String({ description: "Base32, for who types it. Shown this once" }),
    uri: Type.String({ description: "The same for the app, otpauth://" }),
    qr_svg: Type.String({ description: "The same as a picture" }),
  }),
});

const enrolled = Type.Object({
  session: SessionAnswer.properties.session,
  factor: Factor,
  recovery_codes: nullable(recoveryCodes()),
});

export const confirmAppFactor = operation({
  id: "confirmAppFactor",
  method: "POST",
  path: "/v1/factors/:factor_id/confirmation",
  tag,
  summary: "Send the first code of an app: from then on it counts. The first factor brings recovery codes",
  scope: "read",
  caller: "person",
  during: ["enrolment"],
  params: Type.Object({ factor_id: id("factor") }),
  body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 20 }), tenant_id: tenantId() }),
  errors: ["wrong_credentials", "proof_required"],
  status: 201,
  response: enrolled,
});

export const createPasskeyOptions = operation({
  id: "createPasskeyOptions",
  method: "POST",
  path: "/v1/factors/passkey-options",
  tag,
  summary: "What the browser makes a passkey by, once, within five minutes",
  scope: "read",
  caller: "person",
  during: ["enrolment"],
  errors: ["proof_required"],
  status: 201,
  response: Type.Object({ options }),
});

export const createPasskeyFactor = operation({
  id: "createPasskeyFactor",
  method: "POST",
  path: "/v1/factors/passkey",
  tag,
  summary: "Keep a passkey that the browser has made. The first factor brings recovery codes",
  scope: "read",
  caller: "person",
  during: ["enrolment"],
  body: Type.Object({
    name: text(100),
    passkey: Type.Object(
      {
        credential: binary(1_400, "Its id"),
        client_data: binary(4_096, "clientDataJSON"),
        attestation: binary(20_000, "attestationObject"),
        transports: Type.Optional(
          Type.Array(Type.String({ maxLength: 40, pattern: "^[a-z-]+$" }), {
            maxItems: 10,
            description: "How browsers may reach it",
          }),
        ),
      },
      { description: "What `navigator.credentials.create` answered with" },
    ),
    tenant_id: tenantId(),
  }),
  errors: ["proof_required"],
  status: 201,
  response: enrolled,
});

export const updateFactor = operation({
  id: "updateFactor",
  method: "PATCH",
  path: "/v1/factors/:factor_id",
  tag,
  summary: "Rename one of one's own factors",
  scope: "read",
  caller: "person",
  params: Type.Object({ factor_id: id("factor") }),
  body: Type.Object({ name: text(100), tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ factor: Factor }),
});

export const deleteFactor = operation({
  id: "deleteFactor",
  method: "DELETE",
  path: "/v1/factors/:factor_id",
  tag,
  summary: "Remove one of one's own factors, which ends one's other sessions",
  scope: "read",
  caller: "person",
  params: Type.Object({ factor_id: id("factor") }),
  errors: ["proof_required"],
  status: 200,
  response: Type.Object({ factor_id: Type.String(), ended_sessions: Type.Integer() }),
});

export const createRecoveryCodes = operation({
  id: "createRecoveryCodes",
  method: "POST",
  path: "/v1/factors/recovery-codes",
  tag,
  summary: "Make new recovery codes; those before count no more",
  scope: "read",
  caller: "person",
  errors: ["proof_required"],
  status: 201,
  response: Type.Object({ recovery_codes: recoveryCodes() }),
});

export const resetUserFactors = operation({
  id: "resetUserFactors",
  method: "DELETE",
  path: "/v1/users/:user_id/factors",
  tag,
  summary: "Remove all second factors of a user who has lost them, and end the user's sessions",
  scope: "admin",
  params: Type.Object({ user_id: id("user") }),
  query: Type.Object({ tenant_id: tenantId() }),
  errors: ["live_key_required", "proof_required"],
  status: 200,
  response: Type.Object({ user_id: Type.String(), removed_factors: Type.Integer() }),
});

const policy = {
  factor_required: Type.Boolean({ description: "Of everybody in the tenant" }),
  organization_ids: Type.Array(id("organization"), {
    maxItems: 1_000,
    uniqueItems: true,
    description: "Of who works for one of these, and of every admin where there is one",
  }),
};

export const getSignInPolicy = operation({
  id: "getSignInPolicy",
  method: "GET",
  path: "/v1/sign-in-policy",
  tag,
  summary: "Who must have a second factor",
  scope: "admin",
  tenantWide: true,
  query: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object(policy),
});

export const setSignInPolicy = operation({
  id: "setSignInPolicy",
  method: "PUT",
  path: "/v1/sign-in-policy",
  tag,
  summary: "Say who must have a second factor: who has none can only add one from then on, also in an open session",
  scope: "admin",
  tenantWide: true,
  body: Type.Object({ ...policy, tenant_id: tenantId() }),
  errors: ["live_key_required", "proof_required"],
  status: 200,
  response: Type.Object(policy),
});
