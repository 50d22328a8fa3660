import { randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { deviceText } from "#domain/accounts/session.ts";
import type { Context } from "#operations/context.ts";
import { isSecure } from "./session-cookie.ts";

/** Renewed at each sign-in: whoever comes twice a year is known. */
const MAX_AGE_SECONDS = 180 * 86_400;
const ID_BYTES = 16;

/** The part of an Edge that cookies need. */
type Site = { ctx: Pick<Context, "digest">; baseUrl: string | undefined };

/**
 * Recognises a browser in which an account has signed in before, and grants no access: its wrong passwords are counted apart from everybody
 * else's. (OWASP, "Slow down online guessing attacks with device cookies".) It is kept when the session ends.
 */
export type DeviceCookie = {
  /** The browser's id, where the account of this address has signed in there. */
  of(email: string): string | undefined;
  set(email: string): void;
};

/** As the session's: `__Host-` where browsers come by https. */
const nameOf = (isSecure: boolean): string => (isSecure ? "__Host-parley_device" : "parley_device");

export function deviceCookie({ ctx, baseUrl }: Site, request: FastifyRequest, reply: FastifyReply): DeviceCookie {
  const secure = isSecure(baseUrl, request);
  const signatureOf = (id: string, email: string) => ctx.digest(deviceText(id, email.toLowerCase()));
  const of = (email: string): string | undefined => {
    const [id = "", signature = ""] = (request.cookies[nameOf(secure)] ?? "").split(".");
    const right = signatureOf(id, email);
    const given = Buffer.from(signature, "base64url");
    return given.length === right.length && timingSafeEqual(given, right) ? id : undefined;
  };
  return {
    of,
    set(email) {
      const id = of(email) ?? randomBytes(ID_BYTES).toString("base64url");
      reply.setCookie(nameOf(secure), `${id}.${signatureOf(id, email).toString("base64url")}`, {
        path: "/",
        httpOnly: true,
        sameSite: "lax",
        secure,
        maxAge: MAX_AGE_SECONDS,
      });
    },
  };
}
