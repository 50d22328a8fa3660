import { randomBytes } from "node:crypto";
import { challengeEnd, newChallenge } from "#domain/accounts/challenge.ts";
import { recoveryText, secretPlace } from "#domain/accounts/factor.ts";
import { ofHandle } from "#domain/accounts/passkey-site.ts";
import { normalPassword } from "#domain/accounts/password.ts";
import { lastEnd, sessionText } from "#domain/accounts/session.ts";
import { AppError, invalidField, sessionOver } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { type Caller, type Context, personOf } from "#operations/context.ts";
import type { PasskeyAnswer, PasskeySite } from "#ports/sign-in.ts";
import type { PasskeyFactor } from "#store/accounts/factors.ts";
import * as factors from "#store/accounts/factors.ts";
import * as logins from "#store/accounts/logins.ts";
import * as recoveryCodes from "#store/accounts/recovery-codes.ts";
import * as sessions from "#store/accounts/sessions.ts";
import * as users from "#store/accounts/users.ts";
import type { Tx } from "#store/database/db.ts";
import { beginSession, type From, newSession, type SessionToken } from "./begin-session.ts";

const NONCE_BYTES = 16;

/** What somebody shows of who it is. The password alone counts only of who has no second factor, in a session that is whole. */
export type Proof =
  | { kind: "code" | "recovery_code" | "password"; text: string }
  | { kind: "passkey"; answer: PasskeyAnswer; site: PasskeySite };

/** Takes what was shown, in the transaction that makes it count. False when it was taken before. */
type Take = (tx: Tx) => Promise<boolean>;

/** 401. One text for what is wrong, was used already, or is another's. */
export const wrongProof = (): AppError =>
  new AppError("wrong_credentials", "This is wrong, has been used already, or came too late: try again");

/**
 * Completes the session by a second factor, or renews the proof of one that is whole. It has another cookie and another id from then on. Fails with
 * `wrong_credentials`, also for what another request used first.
 */
export async function prove(ctx: Context, caller: Caller, proof: Proof): Promise<SessionToken> {
  const { accountId } = caller;
  const { userId, sessionId, begunPending, lastEnd: end } = personOf(caller);
  const take = await takerOf(ctx, { accountId, userId, sessionId, isWhole: begunPending === null }, proof);
  ctx.audit.note({ object: { kind: "user", id: publicId("user", userId) }, after: { shown: proof.kind } });
  const refusal = (): AppError => {
    ctx.audit.refused(ctx.db, `wrong ${proof.kind.replace("_", " ")}`);
    return wrongProof();
  };
  if (take === undefined) throw refusal();
  const { id, token } = newSession(ctx);
  const now = ctx.now();
  await ctx.db.transaction(async (tx) => {
    if (!(await take(tx))) throw refusal();
    const expires_at = begunPending === null ? end : lastEnd(now, ctx.sessionTimes);
    const to = { digest: ctx.digest(sessionText(token)), id, proved: now, seen_at: now, expires_at };
    if (!(await sessions.renew(tx, accountId, { id: sessionId, from: begunPending }, to))) throw sessionOver();
  });
  return token;
}

type Prover = { accountId: Uuid; userId: Uuid; sessionId: Uuid; isWhole: boolean };

/** Looks at what was shown; undefined when it is wrong. */
async function takerOf(ctx: Context, who: Prover, proof: Proof): Promise<Take | undefined> {
  const { accountId, userId } = who;
  switch (proof.kind) {
    case "code":
      return takerOfCode(ctx, who, proof.text);
    case "recovery_code":
      return (tx) => recoveryCodes.take(tx, accountId, userId, ctx.digest(recoveryText(userId, proof.text)));
    case "password":
      return takerOfPassword(ctx, who, proof.text);
    case "passkey": {
      const kept = await factors.byCredential(ctx.db, accountId, proof.answer.id);
      if (kept?.user_id !== userId) return undefined;
      const asked = { purpose: "proof", whose: who.sessionId } as const;
      return takerOfPasskey(ctx, accountId, kept, { ...proof, asked, isUnlockNeeded: false });
    }
  }
}

async function takerOfCode(ctx: Context, { accountId, userId }: Prover, code: string): Promise<Take | undefined> {
  const at = ctx.now();
  for (const { id, secret } of await factors.timed(ctx.db, accountId, userId)) {
    const step = ctx.timedCodes.stepOf(ctx.sealingKeys.open(secret, secretPlace(accountId, id)), code, at);
    if (step !== undefined) return (tx) => factors.takeStep(tx, accountId, userId, { id, step, at });
  }
  return undefined;
}

async function takerOfPassword(ctx: Context, who: Prover, password: string): Promise<Take | undefined> {
  const { accountId, userId, isWhole } = who;
  if (!isWhole || (await factors.list(ctx.db, accountId, userId)).length > 0) {
    throw invalidField("password", "is not enough: show a second factor");
  }
  const login = await logins.ofUser(ctx.db, accountId, userId);
  const isRight = await ctx.passwords.matches(normalPassword(password), login?.password, {
    line: userId,
    isKnown: true,
  });
  return isRight && login ? (tx) => logins.hold(tx, login) : undefined;
}

type Signed = {
  answer: PasskeyAnswer;
  site: PasskeySite;
  asked: { purpose: "sign-in" | "proof"; whose: string };
  isUnlockNeeded: boolean;
};

async function takerOfPasskey(
  ctx: Context,
  accountId: Uuid,
  kept: PasskeyFactor,
  { answer, site, asked, isUnlockNeeded }: Signed,
): Promise<Take | undefined> {
  const now = ctx.now();
  const challenge = ctx.passkeys.challengeOf(answer.clientData) ?? "";
  const end = challengeEnd(ctx, asked, challenge, now);
  if (end === undefined) return undefined;
  const by = {
    credential: kept.credential,
    publicKey: kept.public_key,
    signCount: Number(kept.sign_count),
    transports: kept.transports,
  };
  const count = await ctx.passkeys.signed(site, answer, challenge, by, isUnlockNeeded);
  if (count === undefined) return undefined;
  return async (tx) =>
    (await factors.takeChallenge(tx, accountId, { digest: ctx.digest(challenge), end, now })) &&
    (await factors.takeCount(tx, accountId, kept.user_id, { id: kept.id, count, at: now }));
}

/** What a browser signs by to complete or to prove this session. */
export async function proofOptions(ctx: Context, caller: Caller, site: PasskeySite): Promise<Record<string, unknown>> {
  const { userId, sessionId } = personOf(caller);
  const own = await factors.passkeys(ctx.db, caller.accountId, userId);
  const known = own.map(({ credential, public_key, sign_count, transports }) => ({
    ...{ credential, transports, publicKey: public_key, signCount: Number(sign_count) },
  }));
  return ctx.passkeys.request(site, challengeFor(ctx, { purpose: "proof", whose: sessionId }), known);
}

/** What a browser signs by to sign in with a passkey and nothing else. */
export const signInOptions = (ctx: Context, site: PasskeySite): Promise<Record<string, unknown>> =>
  ctx.passkeys.request(site, challengeFor(ctx, SIGN_IN));

const SIGN_IN = { purpose: "sign-in", whose: "" } as const;

const challengeFor = (ctx: Context, asked: Parameters<typeof newChallenge>[1]): string =>
  newChallenge(ctx, asked, { nonce: randomBytes(NONCE_BYTES), now: ctx.now() });

/**
 * Signs in whoever has a passkey and has unlocked it, which is two factors in one. Fails with `wrong_credentials`, whatever is wrong.
 */
export async function signInByPasskey(
  ctx: Context,
  { answer, site }: { answer: PasskeyAnswer; site: PasskeySite },
  from: From,
): Promise<SessionToken> {
  const owner = ofHandle(answer.userHandle ?? "");
  const kept = owner && (await factors.byCredential(ctx.db, owner.accountId, answer.id));
  if (!owner || kept?.user_id !== owner.userId) throw wrongProof();
  const { accountId: tenantId, userId } = owner;
  const take = await takerOfPasskey(ctx, tenantId, kept, { answer, site, asked: SIGN_IN, isUnlockNeeded: true });
  // Whose log a refusal belongs in. It is nobody's doing: only a right signature says that it was this person.
  ctx.audit.by({ tenantId });
  ctx.audit.note({ object: { kind: "user", id: publicId("user", userId) } });
  const refusal = (): AppError => {
    ctx.audit.refused(ctx.db, "wrong passkey");
    return wrongProof();
  };
  if (take === undefined) throw refusal();
  const session = newSession(ctx);
  return ctx.db.transaction(async (tx) => {
    // Deleted meanwhile, or without a login: nobody who could sign in.
    if (!(await users.lock(tx, tenantId, userId)) || !(await logins.ofUser(tx, tenantId, userId))) throw wrongProof();
    if (!(await take(tx))) throw refusal();
    return beginSession(ctx, tx, session, { tenantId, userId, hasShownFactor: true }, from);
  });
}
