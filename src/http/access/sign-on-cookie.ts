import type { FastifyReply, FastifyRequest } from "fastify";
import { SIGN_ON_MS } from "#operations/sign-in/sign-on.ts";
import { isSecure } from "./session-cookie.ts";

/** The secret of a browser that has begun a sign-in by an identity provider: what comes back from there counts in that browser alone. */
export type SignOnCookie = { browser: string | undefined; set(browser: string): void; clear(): void };

const SECRET = /^[\w-]{43}$/;

/** As the session's: `__Host-` where browsers come by https. */
export function signOnCookie(
  { baseUrl }: { baseUrl: string | undefined },
  request: FastifyRequest,
  reply: FastifyReply,
): SignOnCookie {
  const secure = isSecure(baseUrl, request);
  const name = secure ? "__Host-parley_sign_on" : "parley_sign_on";
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure } as const;
  const given = request.cookies[name];
  return {
    browser: given !== undefined && SECRET.test(given) ? given : undefined,
    set: (browser) => void reply.setCookie(name, browser, { ...attributes, maxAge: SIGN_ON_MS / 1_000 }),
    clear: () => void reply.clearCookie(name, attributes),
  };
}
