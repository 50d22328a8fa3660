import { type Static, Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { email, id, named, nullable, page, paging, tenantId, text, timestamp } from "#contract/values/shapes.ts";
import { Permission, User } from "./organizations.ts";

const tag = "Console sessions";

const Mode = Type.Union([Type.Literal("live"), Type.Literal("test")]);

/** Who is signed in, what he may do, and what each of his requests that changes something has to carry. */
export const Session = named("Session", {
  session_id: Type.String(),
  user: User,
  tenant_id: Type.String(),
  organizations: Type.Array(Type.Object({ unique_id: Type.String(), organization_name: Type.String() }), {
    description: "The newest 100 of the tenant's; the others by GET /v1/organizations",
  }),
  permission: Permission,
  scopes: Type.Array(
    Type.Union([Type.Literal("read"), Type.Literal("write"), Type.Literal("send"), Type.Literal("admin")]),
  ),
  mode: Mode,
  pending: nullable(
    Type.Union([Type.Literal("factor"), Type.Literal("enrolment")], {
      description:
        "What the sign-in still lacks: to show a second factor, or to add one first. Until then the session opens nothing else",
    }),
  ),
  proof_kinds: Type.Array(
    Type.Union([
      Type.Literal("code"),
      Type.Literal("passkey"),
      Type.Literal("recovery_code"),
      Type.Literal("password"),
    ]),
    {
      description:
        "What the user can show in `POST /v1/session/proof`. None: a new sign-in by the provider is the proof",
    },
  ),
  is_live_available: Type.Boolean({
    description: "There is a carrier or a trunk, or the user may connect one: mode may be live",
  }),
  csrf_token: Type.String({ description: "For X-CSRF-Token, on every request by cookie that is no GET" }),
  expires_at: Type.String({
    format: "date-time",
    description: "When it ends unless it is used: by default 30 minutes from now, at most 12 hours after signing in",
  }),
});
export type Session = Static<typeof Session>;

export const SessionAnswer = Type.Object({ session: Session });
const answer = SessionAnswer;

const newPassword = () =>
  Type.String({ minLength: 12, maxLength: 128, description: "12 to 128 characters, none of the commonest" });
/** Of any length that fits: what it has to be is said only when it is set. */
const password = () => Type.String({ minLength: 1, maxLength: 128 });
const token = () => Type.String({ minLength: 1, maxLength: 200, description: "What follows `token=` in the link" });

export const getSetup = operation({
  id: "getSetup",
  method: "GET",
  path: "/v1/setup",
  tag,
  summary: "Whether the console still waits for its first user",
  scope: "read",
  caller: "anyone",
  status: 200,
  response: Type.Object({ needed: Type.Boolean() }),
});

export const setUp = operation({
  id: "setUp",
  method: "POST",
  path: "/v1/setup",
  tag,
  summary: "Make the console's first user, an admin, by the link that was printed at the start, and sign in",
  scope: "admin",
  caller: "anyone",
  body: Type.Object({
    token: token(),
    email: email(),
    password: newPassword(),
    first_name: Type.Optional(text(200)),
    organization_name: text(200),
  }),
  errors: ["link_invalid"],
  status: 201,
  response: answer,
});

export const signIn = operation({
  id: "signIn",
  method: "POST",
  path: "/v1/session",
  tag,
  summary: "Sign in to the console: the answer sets a cookie, which stands for an API key from then on",
  scope: "read",
  caller: "anyone",
  body: Type.Object({ email: email(), password: password() }),
  errors: ["wrong_credentials", "sign_on_required"],
  status: 201,
  response: answer,
});

export const getSession = operation({
  id: "getSession",
  method: "GET",
  path: "/v1/session",
  tag,
  summary: "Who is signed in",
  scope: "read",
  caller: "person",
  during: ["factor", "enrolment"],
  status: 200,
  response: answer,
});

export const changeSession = operation({
  id: "changeSession",
  method: "PATCH",
  path: "/v1/session",
  tag,
  summary: "Turn this session to simulated phones or to real ones",
  scope: "read",
  caller: "person",
  body: Type.Object({ mode: Mode, tenant_id: tenantId() }),
  status: 200,
  response: answer,
});

export const signOut = operation({
  id: "signOut",
  method: "DELETE",
  path: "/v1/session",
  tag,
  summary: "Sign out: the cookie opens nothing any more",
  scope: "read",
  caller: "person",
  during: ["factor", "enrolment"],
  status: 200,
  response: Type.Object({ session_id: Type.String() }),
});

export const changePassword = operation({
  id: "changePassword",
  method: "POST",
  path: "/v1/session/password",
  tag,
  summary: "Change one's own password, which ends one's other sessions",
  scope: "read",
  caller: "person",
  body: Type.Object({ current_password: password(), new_password: newPassword(), tenant_id: tenantId() }),
  errors: ["wrong_credentials"],
  status: 200,
  response: Type.Object({ ended_sessions: Type.Integer(), session: Session }),
});

export const acceptInvitation = operation({
  id: "acceptInvitation",
  method: "POST",
  path: "/v1/invitations",
  tag,
  summary: "Set a password by the link of an invitation, and sign in",
  scope: "read",
  caller: "anyone",
  body: Type.Object({ token: token(), password: newPassword() }),
  errors: ["link_invalid", "sign_on_required"],
  status: 201,
  response: answer,
});

export const OpenSession = named("OpenSession", {
  session_id: Type.String(),
  is_current: Type.Boolean(),
  user_agent: nullable(Type.String()),
  address: Type.String(),
  created_at: timestamp(),
  last_seen_at: timestamp(),
  expires_at: timestamp(),
});

export const listSessions = operation({
  id: "listSessions",
  method: "GET",
  path: "/v1/sessions",
  tag,
  summary: "List one's own sessions, newest first",
  scope: "read",
  caller: "person",
  query: Type.Object({ tenant_id: tenantId(), ...paging }),
  status: 200,
  response: page("sessions", OpenSession),
});

export const endOtherSessions = operation({
  id: "endOtherSessions",
  method: "DELETE",
  path: "/v1/sessions",
  tag,
  summary: "End all of one's own sessions but this one",
  scope: "read",
  caller: "person",
  query: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ ended_sessions: Type.Integer() }),
});

export const endSession = operation({
  id: "endSession",
  method: "DELETE",
  path: "/v1/sessions/:session_id",
  tag,
  summary: "End one of one's own sessions",
  scope: "read",
  caller: "person",
  params: Type.Object({ session_id: id("session") }),
  status: 200,
  response: Type.Object({ session_id: Type.String() }),
});
