import { randomBytes } from "node:crypto";
import { challengeEnd, newChallenge } from "#domain/accounts/challenge.ts";
import {
  freshUntil,
  MOST_FACTORS,
  newRecoveryCode,
  RECOVERY_CODES,
  recoveryText,
  requireProof,
  secretPlace,
  unconfirmedSince,
} from "#domain/accounts/factor.ts";
import { handleOf } from "#domain/accounts/passkey-site.ts";
import { lastEnd, sessionText } from "#domain/accounts/session.ts";
import { conflict, failure, invalidField, notFound, sessionOver } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Caller, type Context, personOf } from "#operations/context.ts";
import type { MadePasskey, PasskeySite } from "#ports/sign-in.ts";
import type { Factor } from "#store/accounts/factors.ts";
import * as factors from "#store/accounts/factors.ts";
import * as recoveryCodes from "#store/accounts/recovery-codes.ts";
import * as sessions from "#store/accounts/sessions.ts";
import type { User } from "#store/accounts/users.ts";
import * as users from "#store/accounts/users.ts";
import type { Tx } from "#store/database/db.ts";
import { seal } from "#store/system/sealing.ts";
import { isFactorRequired, newSession, type SessionToken } from "./begin-session.ts";
import { wrongProof } from "./prove.ts";

const NONCE_BYTES = 16;
/** What an app shows beside the user's address. */
const ISSUER = "Parley";

/** What the caller has; `proofUntil` is until when it may be changed without another proof. */
export type OwnFactors = { factors: Factor[]; codesLeft: number; isRequired: boolean; proofUntil: Date | undefined };

export async function listFactors(ctx: Context, caller: Caller): Promise<OwnFactors> {
  const { accountId } = caller;
  const user = await userOf(ctx.db, caller);
  const [own, codesLeft, isRequired] = await Promise.all([
    factors.list(ctx.db, accountId, user.id),
    recoveryCodes.left(ctx.db, accountId, user.id),
    isFactorRequired(ctx.db, accountId, user),
  ]);
  return { factors: own, codesLeft, isRequired, proofUntil: freshUntil(personOf(caller).provedAt, ctx.now()) };
}

/** An app that is to show codes: its secret, which is returned this once. It counts once `confirmApp` has seen a code. */
export async function beginApp(
  ctx: Context,
  caller: Caller,
  name: string,
): Promise<{ id: Uuid; secret: string; uri: string; qrSvg: string }> {
  const { accountId } = caller;
  requireProof(personOf(caller), ctx.now());
  const [id, secret] = [caller.newId(), ctx.timedCodes.newSecret()];
  const user = await ctx.db.transaction(async (tx) => {
    const user = await lockedUser(tx, caller);
    await refuseMore(tx, accountId, user.id);
    await factors.removeBegun(tx, accountId, user.id);
    const sealed = await seal(tx, ctx.sealingKeys, secret, secretPlace(accountId, id));
    const factor = { id, user_id: user.id, name, secret: sealed, created_at: ctx.now() };
    await factors.insertTimed(tx, accountId, factor);
    return user;
  });
  return { id, secret, ...ctx.timedCodes.enrolment(secret, { issuer: ISSUER, account: user.email }) };
}

/** What enrolling returns: the session's new cookie, and recovery codes when it was the first factor. */
export type Enrolled = { token: SessionToken; factor: Factor; codes: readonly string[] | undefined };

/** The app counts from now on. Fails with `wrong_credentials` for a wrong code, and 404 where no app was begun within the last 15 minutes. */
export async function confirmApp(ctx: Context, caller: Caller, id: Uuid, code: string): Promise<Enrolled> {
  const { accountId } = caller;
  const { userId } = personOf(caller);
  requireProof(personOf(caller), ctx.now());
  const now = ctx.now();
  const begun = await factors.unconfirmed(ctx.db, accountId, userId, { id, since: unconfirmedSince(now) });
  if (!begun) throw notFound("Factor");
  const step = ctx.timedCodes.stepOf(ctx.sealingKeys.open(begun.secret, secretPlace(accountId, id)), code, now);
  if (step === undefined) {
    ctx.audit.refused(ctx.db, "wrong code");
    throw wrongProof();
  }
  return enrol(ctx, caller, async (tx) => {
    const factor = await factors.confirm(tx, accountId, userId, { id, step, at: now });
    if (!factor) throw notFound("Factor");
    return factor;
  });
}

/** What a browser makes a passkey by. */
export async function passkeyOptions(
  ctx: Context,
  caller: Caller,
  site: PasskeySite,
): Promise<Record<string, unknown>> {
  requireProof(personOf(caller), ctx.now());
  const { sessionId } = personOf(caller);
  const user = await userOf(ctx.db, caller);
  const own = await factors.passkeys(ctx.db, caller.accountId, user.id);
  const known = own.map(({ credential, public_key, transports }) => ({
    ...{ credential, transports, publicKey: public_key, signCount: 0 },
  }));
  const whose = { purpose: "enrolment", whose: sessionId } as const;
  const challenge = newChallenge(ctx, whose, { nonce: randomBytes(NONCE_BYTES), now: ctx.now() });
  const shown = { handle: handleOf(caller.accountId, user.id), name: user.email, shownName: user.name };
  return ctx.passkeys.creation(site, shown, challenge, known);
}

/** Keeps a passkey that the browser has made. 400 for what is none, or is of another site or an older request; 409 for one that is known. */
export async function addPasskey(
  ctx: Context,
  caller: Caller,
  { name, made, site }: { name: string; made: MadePasskey; site: PasskeySite },
): Promise<Enrolled> {
  const { accountId } = caller;
  const { sessionId } = personOf(caller);
  requireProof(personOf(caller), ctx.now());
  const now = ctx.now();
  const challenge = ctx.passkeys.challengeOf(made.clientData) ?? "";
  const end = challengeEnd(ctx, { purpose: "enrolment", whose: sessionId }, challenge, now);
  const passkey = end && (await ctx.passkeys.made(site, made, challenge));
  if (!end || !passkey) throw invalidField("passkey", "is not a passkey of this site, or was asked for too long ago");
  const factor = { id: caller.newId(), kind: "passkey", name, created_at: now, last_used_at: null } as const;
  const { credential, publicKey, signCount, transports } = passkey;
  return enrol(ctx, caller, async (tx, user) => {
    await refuseMore(tx, accountId, user.id);
    const isNew =
      (await factors.takeChallenge(tx, accountId, { digest: ctx.digest(challenge), end, now })) &&
      (await factors.insertPasskey(tx, accountId, {
        ...{ id: factor.id, user_id: user.id, name, created_at: now },
        ...{ credential, public_key: publicKey, sign_count: signCount, transports },
      }));
    if (!isNew) throw conflict("This passkey is here already", "passkey");
    return factor;
  });
}

/** Adds a factor, by `add`; the session has another cookie from then on, and is whole. The first one ends the user's other sessions. */
async function enrol(ctx: Context, caller: Caller, add: (tx: Tx, user: User) => Promise<Factor>): Promise<Enrolled> {
  const { accountId } = caller;
  const { userId, sessionId, pending, begunPending, lastEnd: end } = personOf(caller);
  if (pending === "factor") throw failure("factor_required", "Show your second factor first");
  const { id, token } = newSession(ctx);
  const fresh = newCodes();
  const now = ctx.now();
  return ctx.db.transaction(async (tx) => {
    const user = await lockedUser(tx, caller);
    const isFirst = (await factors.list(tx, accountId, user.id)).length === 0;
    // Who knows the password alone may get the first factor, and not one beside another that came meanwhile.
    if (pending !== null && !isFirst) throw sessionOver();
    const factor = await add(tx, user);
    if (isFirst) await keepCodes(ctx, tx, caller, fresh);
    const expires_at = begunPending === null ? end : lastEnd(now, ctx.sessionTimes);
    // Of a session that lacked one, enrolling is the proof; of another it was there already.
    const proved = begunPending === null ? null : now;
    const to = { digest: ctx.digest(sessionText(token)), id, proved, seen_at: now, expires_at };
    if (!(await sessions.renew(tx, accountId, { id: sessionId, from: begunPending }, to))) throw sessionOver();
    // Those that are open were begun by the password alone, which somebody else may know.
    if (isFirst) ctx.audit.note({ counts: { ended_sessions: await sessions.endAll(tx, accountId, userId, id) } });
    return { token, factor, codes: isFirst ? fresh : undefined };
  });
}

const newCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, () => newRecoveryCode(randomBytes));

async function keepCodes(ctx: Context, tx: Tx, caller: Caller, codes: readonly string[]): Promise<void> {
  const { userId } = personOf(caller);
  const digests = codes.map((code) => ctx.digest(recoveryText(userId, code)));
  await recoveryCodes.replace(tx, caller.accountId, userId, { digests, at: ctx.now() });
}

/** New recovery codes in place of all before, returned this once. 409 for who has no factor. */
export async function renewRecoveryCodes(ctx: Context, caller: Caller): Promise<readonly string[]> {
  requireProof(personOf(caller), ctx.now());
  const codes = newCodes();
  await ctx.db.transaction(async (tx) => {
    const user = await lockedUser(tx, caller);
    if ((await factors.list(tx, caller.accountId, user.id)).length === 0)
      throw conflict("Recovery codes stand in for a second factor: add one first");
    await keepCodes(ctx, tx, caller, codes);
  });
  return codes;
}

export async function renameFactor(ctx: Context, caller: Caller, id: Uuid, name: string): Promise<Factor> {
  const renamed = await factors.rename(ctx.db, caller.accountId, personOf(caller).userId, { id, name });
  if (!renamed) throw notFound("Factor");
  return renamed;
}

/** Removes a factor and ends the caller's other sessions; returns how many. 409 for the last one where one is required. */
export async function removeFactor(ctx: Context, caller: Caller, id: Uuid): Promise<number> {
  const { accountId } = caller;
  const { userId, sessionId } = personOf(caller);
  requireProof(personOf(caller), ctx.now());
  return ctx.db.transaction(async (tx) => {
    const user = await lockedUser(tx, caller);
    if (!(await factors.remove(tx, accountId, userId, id))) throw notFound("Factor");
    if ((await factors.list(tx, accountId, userId)).length === 0) {
      if (await isFactorRequired(tx, accountId, user))
        throw conflict("A second factor is required here: add another before you remove the last");
      await recoveryCodes.removeAll(tx, accountId, userId);
    }
    return sessions.endAll(tx, accountId, userId, sessionId);
  });
}

async function refuseMore(tx: Tx, accountId: Uuid, userId: Uuid): Promise<void> {
  if ((await factors.list(tx, accountId, userId)).length >= MOST_FACTORS)
    throw conflict(`There are ${MOST_FACTORS} factors: remove one first`);
}

/** Who is signed in; the user's rows are changed by one request at a time. */
async function lockedUser(tx: Tx, caller: Caller): Promise<User> {
  const user = await users.lock(tx, caller.accountId, personOf(caller).userId);
  if (!user) throw sessionOver();
  return user;
}

async function userOf(tx: Tx, caller: Caller): Promise<User> {
  const user = await users.find(tx, caller.accountId, personOf(caller).userId);
  if (!user) throw sessionOver();
  return user;
}
