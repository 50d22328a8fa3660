import { randomBytes } from "node:crypto";
import { SECRET_BYTES } from "#domain/accounts/api-key.ts";
import { challengeEnd, newChallenge } from "#domain/accounts/challenge.ts";
import { domainOf, nonceText, saysSecondFactor, verifierText } from "#domain/accounts/identity-provider.ts";
import { type AppError, failure, invalidField, notFound } from "#domain/values/errors.ts";
import { parseId, publicId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { ProviderProblem, type SignOn, SignOnRefused } from "#ports/sign-in.ts";
import * as factors from "#store/accounts/factors.ts";
import type { IdentityProvider } from "#store/accounts/identity-providers.ts";
import * as providers from "#store/accounts/identity-providers.ts";
import * as users from "#store/accounts/users.ts";
import { beginSession, type From, newSession, type SessionToken } from "./begin-session.ts";
import { accessOf } from "./identity-providers.ts";
import { userOfIdentity } from "./user-of-identity.ts";

/** How long somebody may take at the provider. */
export const SIGN_ON_MS = 10 * 60_000;
const NONCE_BYTES = 16;

type Owned = { accountId: Uuid; provider: IdentityProvider };

/**
 * Begins a sign-in by a provider. `browser` is a secret that is kept in the browser alone: what the provider sends back counts there and nowhere else.
 * Nothing is kept here: the state is signed, and nonce and PKCE's verifier follow from it and the browser's secret.
 */
export async function startSignOn(
  ctx: Context,
  wanted: { email?: string | undefined; providerId?: string | undefined },
  redirectUri: string,
): Promise<{ url: string; name: string; browser: string }> {
  const { accountId, provider } = await providerOf(ctx, wanted);
  const browser = randomBytes(SECRET_BYTES).toString("base64url");
  const id = publicId("identityProvider", provider.id);
  const asked = { purpose: "sign-on", whose: `${browser} ${id}` } as const;
  const challenge = newChallenge(ctx, asked, { nonce: randomBytes(NONCE_BYTES), now: ctx.now(), lastsMs: SIGN_ON_MS });
  const signOn = signOnOf(ctx, { browser, state: `${id}.${challenge}`, redirectUri });
  try {
    const url = await ctx.identityProviders.authorizationUrl(accessOf(ctx, accountId, provider), signOn, wanted.email);
    return { url, name: provider.name, browser };
  } catch (error) {
    throw shownAs(error);
  }
}

/** Ends a sign-in in the browser that began it, once: a session that is whole, or lacks a second factor that the provider did not ask for. */
export async function completeSignOn(
  ctx: Context,
  { query, browser }: { query: string; browser: string | undefined },
  redirectUri: string,
  from: From,
): Promise<SessionToken> {
  const now = ctx.now();
  const state = new URLSearchParams(query).get("state") ?? "";
  const [id = "", challenge = ""] = state.split(".");
  const named = await byId(ctx, id);
  if (!named) throw refused(NOT_BEGUN);
  const { accountId, provider } = named;
  ctx.audit.by({ tenantId: accountId });
  ctx.audit.note({ object: { kind: "identity_provider", id: publicId("identityProvider", provider.id) } });
  const session = newSession(ctx);
  const newUserId = ctx.newId();
  try {
    // Until when it counts, if this browser began it.
    const asked = { purpose: "sign-on", whose: `${browser} ${id}` } as const;
    const end = browser === undefined ? undefined : challengeEnd(ctx, asked, challenge, now);
    if (browser === undefined || end === undefined || state !== `${id}.${challenge}`) throw refused(NOT_BEGUN);
    const signOn = signOnOf(ctx, { browser, state, redirectUri });
    const proved = await ctx.identityProviders.complete(accessOf(ctx, accountId, provider), signOn, query);
    return await ctx.db.transaction(async (tx) => {
      const held = await providers.hold(tx, accountId, provider.id);
      if (held?.issuer !== provider.issuer || held.client_id !== provider.client_id) throw refused(NOT_BEGUN);
      if (!(await factors.takeChallenge(tx, accountId, { digest: ctx.digest(state), end, now })))
        throw refused(NOT_BEGUN);
      const { userId, change } = await userOfIdentity(ctx, tx, { accountId, provider: held, proved, newUserId });
      ctx.audit.note({ ...change });
      // A first factor that is being added is waited for: its end of all sessions would not see this one.
      if (!(await users.lock(tx, accountId, userId))) throw refused(NOT_BEGUN);
      const hasShownFactor = held.factor_trusted || saysSecondFactor(proved.claims);
      return beginSession(ctx, tx, session, { tenantId: accountId, userId, hasShownFactor, isByProvider: true }, from);
    });
  } catch (error) {
    const shown = shownAs(error);
    if ((shown as AppError).code === "sign_on_refused") ctx.audit.refused(ctx.db, (shown as AppError).message);
    throw shown;
  }
}

const NOT_BEGUN = "This sign-in was not begun in this browser, is over, or came back before: begin again";

export const refused = (why: string): AppError => failure("sign_on_refused", why);

/** As a caller gets it: neither a provider that is down nor a wrong answer is a fault of ours. */
function shownAs(error: unknown): unknown {
  if (error instanceof SignOnRefused) return refused(error.message);
  return error instanceof ProviderProblem ? failure("provider_problem", error.message) : error;
}

function signOnOf(
  { digest }: Pick<Context, "digest">,
  { browser, state, redirectUri }: { browser: string; state: string; redirectUri: string },
): SignOn {
  const nonce = digest(nonceText(browser, state)).toString("base64url");
  return { redirectUri, state, nonce, verifier: digest(verifierText(browser, state)).toString("base64url") };
}

/** Which providers sign in the addresses of a domain, or the one of this id. It depends on nobody's address: who has an account here shows nowhere. */
export async function findSignOn(
  ctx: Context,
  { domain, providerId }: { domain?: string | undefined; providerId?: string | undefined },
): Promise<{ id: Uuid; name: string }[]> {
  if ((domain === undefined) === (providerId === undefined))
    throw invalidField("domain", "must be sent, or provider_id, and not both");
  if (domain !== undefined) return ofDomain(ctx, domain.toLowerCase());
  const found = await byId(ctx, providerId!);
  return found ? [found.provider] : [];
}

/** The providers of the tenant that named a domain first. Nothing proves whose a domain is; a later tenant must not take it from the first. */
async function ofDomain(ctx: Context, domain: string) {
  const all = await providers.ofDomain(ctx.db, domain);
  return all.filter(({ tenant_id }) => tenant_id === all[0]?.tenant_id);
}

/** By its id, or the first of the domain of an address; 404 where there is none. */
async function providerOf(
  ctx: Context,
  { email, providerId }: { email?: string | undefined; providerId?: string | undefined },
): Promise<Owned> {
  if (email === undefined && providerId === undefined) throw invalidField("body", "must have email or provider_id");
  if (providerId !== undefined) {
    const found = await byId(ctx, providerId);
    if (!found) throw notFound("Identity provider");
    return found;
  }
  const [first] = await ofDomain(ctx, domainOf(email!));
  const provider = first && (await providers.find(ctx.db, first.tenant_id, first.id));
  if (!provider) throw notFound("Identity provider of this e-mail address");
  return { accountId: first.tenant_id, provider };
}

async function byId(ctx: Context, text: string): Promise<Owned | undefined> {
  const id = parseId("identityProvider", text);
  const accountId = id && (await providers.ownerOf(ctx.db, id));
  const provider = accountId && (await providers.find(ctx.db, accountId, id));
  return provider ? { accountId, provider } : undefined;
}
