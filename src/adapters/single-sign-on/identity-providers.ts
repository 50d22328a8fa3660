import * as client from "openid-client";
import type { TenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import {
  type IdentityProviders,
  type ProvedIdentity,
  type ProviderAccess,
  ProviderProblem,
  type SignOn,
  SignOnRefused,
} from "#ports/sign-in.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { isUnreachable, lackOfToken, reasonOf } from "./reasons.ts";

/** A provider's word for a person, by the standard at most 255 characters. */
const MAX_SUBJECT = 255;

/** Providers at hosts of the internet by https, and at those that the operator has listed by http too. */
export function identityProviders(hosts: TenantHosts, publicHosts: TenantHosts): IdentityProviders {
  const fetch = guardedFetch(hosts);
  const isOwn = ({ hostname }: URL) => publicHosts.problem(hostname) !== undefined;

  function problem(issuer: string): string | undefined {
    if (!URL.canParse(issuer)) return "must be a URL";
    const url = new URL(issuer);
    const host = hosts.problem(url.hostname);
    if (host !== undefined) return host;
    if (url.protocol !== "https:" && !(url.protocol === "http:" && isOwn(url))) return "must begin with https://";
    const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
    return isPlain ? undefined : "must be an address without user, query and fragment";
  }

  /** Read anew each time, with its keys: a provider changes them whenever it likes. */
  async function configuration({ issuer, clientId, clientSecret }: ProviderAccess): Promise<client.Configuration> {
    const wrong = problem(issuer);
    if (wrong !== undefined) throw new ProviderProblem(`The issuer ${wrong}`);
    const url = new URL(issuer);
    const isPlainHttp = url.protocol === "http:";
    let found: client.Configuration;
    try {
      found = await client.discovery(url, clientId, {}, client.None(), {
        [client.customFetch]: fetch,
        execute: isPlainHttp ? [client.allowInsecureRequests] : [],
      });
    } catch (error) {
      throw new ProviderProblem(`${issuer} cannot be read as an issuer: ${reasonOf(error)}`);
    }
    const server = found.serverMetadata();
    if (server.issuer !== issuer)
      throw new ProviderProblem(`The provider calls its issuer ${server.issuer.slice(0, 200)}`);
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const byHeader = methods.includes("client_secret_basic");
    const authentication = byHeader ? client.ClientSecretBasic : client.ClientSecretPost;
    const config = new client.Configuration(
      server,
      clientId,
      {},
      clientSecret === undefined ? client.None() : authentication(clientSecret),
    );
    config[client.customFetch] = fetch;
    if (isPlainHttp) client.allowInsecureRequests(config);
    // Of a token that came by TLS the library checks no signature unless it is asked.
    client.enableNonRepudiationChecks(config);
    return config;
  }

  /** In words: what its metadata lacks. */
  function lackOf(config: client.Configuration): string | undefined {
    const server = config.serverMetadata();
    for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
      const address = server[name];
      if (address === undefined || !URL.canParse(address)) return `has no ${name}`;
      const url = new URL(address);
      const wrong = problem(url.origin);
      if (wrong !== undefined) return `has a ${name} that ${wrong}`;
    }
    if (server.response_types_supported?.includes("code") === false) return "does not support the response type code";
    if (server.code_challenge_methods_supported?.includes("S256") === false) return "does not support PKCE by S256";
    return undefined;
  }

  async function ready(access: ProviderAccess): Promise<client.Configuration> {
    const config = await configuration(access);
    const lack = lackOf(config);
    if (lack !== undefined) throw new ProviderProblem(`The provider ${lack}`);
    return config;
  }

  return {
    problem,

    async check(access) {
      const config = await ready(access);
      const { jwks_uri } = config.serverMetadata();
      try {
        const answer = await fetch(jwks_uri!, { method: "GET", headers: {}, body: null, redirect: "manual" });
        const { keys } = (await answer.json()) as { keys?: unknown };
        if (!Array.isArray(keys) || keys.length === 0) throw new ProviderProblem("there are none");
      } catch (error) {
        throw new ProviderProblem(`The provider's keys at ${jwks_uri} cannot be read: ${reasonOf(error)}`);
      }
    },

    async authorizationUrl(access, { redirectUri, state, nonce, verifier }, email) {
      const config = await ready(access);
      return client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: access.scopes.join(" "),
        ...{ state, nonce },
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(email === undefined ? {} : { login_hint: email }),
      }).href;
    },

    async complete(access, signOn, query) {
      const config = await ready(access);
      const { tokens, claims } = await exchanged(config, signOn, query);
      return { subject: claims.sub, claims: { ...(await moreOf(config, tokens, claims.sub)), ...claims } };
    },
  };
}

/** All of the library's checks: state, `iss` of the answer, and of the token its signature, issuer, audience, nonce and times. */
async function exchanged(config: client.Configuration, signOn: SignOn, query: string) {
  const { redirectUri, state, nonce, verifier } = signOn;
  const url = new URL(redirectUri);
  url.search = query;
  try {
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await client.authorizationCodeGrant(config, url, checks);
    const claims = tokens.claims();
    if (claims === undefined || claims.sub === "" || claims.sub.length > MAX_SUBJECT)
      throw new SignOnRefused("The provider does not say who it is");
    return { tokens, claims };
  } catch (error) {
    if (error instanceof SignOnRefused) throw error;
    if (error instanceof client.AuthorizationResponseError)
      throw new SignOnRefused(`The provider answered ${plainWord(error.error)}`);
    if (error instanceof client.ResponseBodyError) {
      // The one that a code is refused by; others are of how the provider is set up here.
      if (error.error === "invalid_grant") throw new SignOnRefused("The provider does not take this code any more");
      throw new ProviderProblem(`The provider refuses the exchange of the code: ${plainWord(error.error)}`);
    }
    if (isUnreachable(error)) throw new ProviderProblem(`The provider cannot be reached: ${reasonOf(error)}`);
    throw new SignOnRefused(lackOfToken(error));
  }
}

/** What the provider says at its own address of claims. The token's count before them; without an answer there are none. */
async function moreOf(
  config: client.Configuration,
  { access_token }: { access_token: string },
  subject: string,
): Promise<ProvedIdentity["claims"]> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  try {
    return await client.fetchUserInfo(config, access_token, subject);
  } catch (error) {
    if (isUnreachable(error)) throw new ProviderProblem(`The provider cannot be reached: ${reasonOf(error)}`);
    throw new SignOnRefused(`What the provider says of the person does not pass the checks: ${reasonOf(error)}`);
  }
}

const plainWord = (word: string): string => word.replace(/[^\w.-]/g, "").slice(0, 60);
