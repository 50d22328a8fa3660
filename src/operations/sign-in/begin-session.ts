import { randomBytes } from "node:crypto";
import { SECRET_BYTES } from "#domain/accounts/api-key.ts";
import { type Pending, pendingUntil } from "#domain/accounts/factor.ts";
import { idleSince, lastEnd, sessionText } from "#domain/accounts/session.ts";
import { failure } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { type Context, isLive } from "#operations/context.ts";
import * as factors from "#store/accounts/factors.ts";
import * as identityProviders from "#store/accounts/identity-providers.ts";
import type { Session } from "#store/accounts/sessions.ts";
import * as sessions from "#store/accounts/sessions.ts";
import * as policies from "#store/accounts/sign-in-policies.ts";
import type { User } from "#store/accounts/users.ts";
import * as users from "#store/accounts/users.ts";
import type { Tx } from "#store/database/db.ts";

/** Where a sign-in comes from: shown to the user in the list of sessions. */
export type From = { address: string; userAgent: string | undefined };

/** The secret in a session's cookie: 256 random bits, stored nowhere in clear. */
export type SessionToken = string;

/** Made before its transaction, which may run twice. */
export type NewSession = { id: Uuid; token: SessionToken };

export const newSession = (ctx: Context): NewSession => ({
  id: ctx.newId(),
  token: randomBytes(SECRET_BYTES).toString("base64url"),
});

/**
 * Who has passed a first step. `hasShownFactor` where that step was two factors in one: a passkey that was unlocked. `isByProvider` where it was the
 * tenant's identity provider.
 */
export type Entrant = { tenantId: Uuid; userId: Uuid; hasShownFactor: boolean; isByProvider?: boolean };

/**
 * Ends every first step of a sign-in: opens a session, whole or lacking something. What lacks something opens nothing but its own completion, for ten
 * minutes. To be called in the transaction that uses up what was shown.
 */
export async function beginSession(
  ctx: Context,
  tx: Tx,
  { id, token }: NewSession,
  { tenantId, userId, hasShownFactor, isByProvider = false }: Entrant,
  { address, userAgent }: From,
): Promise<SessionToken> {
  if (!isByProvider && (await identityProviders.arePasswordsRefused(tx, tenantId)))
    throw failure("sign_on_required", "Sign in by your company's identity provider: here it is the only way");
  const now = ctx.now();
  const mode = (await isLive(ctx, tenantId)) ? "live" : "test";
  ctx.audit.by({ tenantId, mode, actor: "person", actorId: userId, sessionId: id });
  ctx.audit.note({ object: { kind: "session", id: publicId("session", id) } });
  const pending = hasShownFactor ? null : await lackOf(tx, tenantId, userId);
  await sessions.forget(tx, tenantId, userId, { now, seenAfter: idleSince(now, ctx.sessionTimes) });
  const session: Session = {
    id,
    tenant_id: tenantId,
    user_id: userId,
    mode,
    address,
    user_agent: userAgent ?? null,
    created_at: now,
    seen_at: now,
    expires_at: pending === null ? lastEnd(now, ctx.sessionTimes) : pendingUntil(now),
    pending,
    proved_at: now,
  };
  await sessions.insert(tx, ctx.digest(sessionText(token)), session, hasShownFactor);
  return token;
}

/** What a user who has shown one factor lacks. */
async function lackOf(tx: Tx, tenantId: Uuid, userId: Uuid): Promise<Pending | null> {
  const [own, user] = await Promise.all([factors.list(tx, tenantId, userId), users.find(tx, tenantId, userId)]);
  if (own.length > 0) return "factor";
  return user && (await isFactorRequired(tx, tenantId, user)) ? "enrolment" : null;
}

/** Whether the tenant, or an organization that the user works for, requires a second factor. An admin works for every one. */
export async function isFactorRequired(tx: Tx, tenantId: Uuid, user: User): Promise<boolean> {
  const { factor_required, organization_ids } = await policies.find(tx, tenantId);
  if (factor_required) return true;
  if (user.permission === "admin") return organization_ids.length > 0;
  return user.organization_ids.some((id) => organization_ids.includes(id));
}
