import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { type Configuration, type JWK, Provider } from "oidc-provider";

/** Somebody at the provider, with all that it says of the person. */
export type Account = { sub: string; email?: string; email_verified?: boolean } & Record<string, unknown>;

/** How the proxy before the provider changes a token's header and claims, and which key it signs by: the provider's own, another, or none. */
export type Tampering = {
  claims?: Record<string, unknown>;
  by?: "other" | "none";
};

/** A real provider (npm oidc-provider) behind a proxy that can change what it says. */
export type TestProvider = {
  issuer: string;
  client: { client_id: string; client_secret: string };
  /** Who signs in there next, without being asked for anything. */
  account: Account;
  /** Of the next answers of the token endpoint. */
  tampering: Tampering | undefined;
  /** Parameters of the way back that the proxy changes. */
  back: Record<string, string>;
  isDown: boolean;
  /** Another key signs from now on, and the one before is gone. */
  rotateKeys(): void;
  /** What a browser does there: from the address of the sign-in to the one that it is sent back to. */
  visit(authorizationUrl: string): Promise<URL>;
};

const CLIENT = { client_id: "parley", client_secret: "secret-of-the-client-of-this-test" };

type Key = { kid: string; privateKey: KeyObject };

function aKey(kid: string): Key {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { kid, privateKey };
}

export async function startProvider(t: TestContext, redirectUris: readonly string[]): Promise<TestProvider> {
  let key = aKey("first");
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => {
    if (own.isDown) return void request.socket.destroy();
    if (request.url?.startsWith("/interaction/")) return void logIn(request, response);
    if (request.url === "/token") return void exchange(request, response);
    handle(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let provider: Provider;

  const own: TestProvider = {
    issuer,
    client: CLIENT,
    account: { sub: "none" },
    tampering: undefined,
    back: {},
    isDown: false,
    rotateKeys() {
      key = aKey(`${key.kid}-next`);
      begin();
    },
    async visit(authorizationUrl) {
      const cookies = new Map<string, string>();
      let url = new URL(authorizationUrl);
      for (let n = 0; n < 10 && url.origin === issuer; n++) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
        for (const set of answer.headers.getSetCookie()) {
          const [pair = ""] = set.split(";");
          cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
        }
        const next = answer.headers.get("location");
        if (next === null) throw new Error(`the provider stays at ${url.pathname}: ${await answer.text()}`);
        url = new URL(next, url);
      }
      for (const [name, value] of Object.entries(own.back)) url.searchParams.set(name, value);
      return url;
    },
  };

  function begin(): void {
    const jwk = key.privateKey.export({ format: "jwk" }) as JWK;
    provider = new Provider(
      issuer,
      configuration(own, { ...jwk, kid: key.kid, alg: "RS256", use: "sig" }, redirectUris),
    );
    handle = provider.callback();
  }

  async function logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await provider.interactionFinished(request, response, { login: { accountId: own.account.sub } });
  }

  /** Hands the exchange on to the provider, and changes the token of the answer where that is asked. */
  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { tampering } = own;
    if (tampering === undefined) return handle(request, response);
    const end = response.end.bind(response);
    response.end = ((body: Buffer | string) => {
      const answer = JSON.parse(String(body)) as { id_token?: string };
      if (answer.id_token) answer.id_token = tampered(answer.id_token, tampering, key);
      const changed = JSON.stringify(answer);
      response.setHeader("content-length", Buffer.byteLength(changed));
      return end(changed);
    }) as typeof response.end;
    handle(request, response);
  }

  begin();
  return own;
}

function tampered(token: string, { claims = {}, by }: Tampering, key: Key): string {
  const [, body = ""] = token.split(".");
  const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const said = { ...(JSON.parse(Buffer.from(body, "base64url").toString()) as object), ...claims };
  if (by === "none") return `${text({ alg: "none" })}.${text(said)}.`;
  const signed = `${text({ alg: "RS256", kid: key.kid })}.${text(said)}`;
  const signer = by === "other" ? aKey(key.kid).privateKey : key.privateKey;
  return `${signed}.${createSign("sha256").update(signed).sign(signer).toString("base64url")}`;
}

function configuration(own: TestProvider, jwk: JWK, redirectUris: readonly string[]): Configuration {
  return {
    jwks: { keys: [jwk] },
    clients: [{ ...CLIENT, redirect_uris: [...redirectUris], grant_types: ["authorization_code"] }],
    claims: { openid: ["sub", "groups", "amr", "acr"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ["of this test"] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...own.account, sub }) }),
    // Nobody is asked for consent.
    async loadExistingGrant({ oidc }) {
      const { client, session, provider } = oidc;
      const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  };
}
