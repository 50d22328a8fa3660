import { timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpMethod } from "#contract/values/operation.ts";
import { csrfText } from "#domain/accounts/session.ts";
import { failure } from "#domain/values/errors.ts";
import type { Context } from "#operations/context.ts";
import { isByTls } from "./client-address.ts";

/** The part of an Edge that cookies need. */
type Site = { ctx: Pick<Context, "digest" | "sessionTimes">; baseUrl: string | undefined };

/** A request's session cookie, read and written. */
export type SessionCookie = {
  token: string | undefined;
  set(token: string): void;
  clear(): void;
  /** What X-CSRF-Token must say beside a session's cookie: bound to it, and of no use to make it. */
  csrfToken(token: string): string;
};

/** Whether browsers reach us by https: the base URL says so, or a trusted proxy of this request. */
export const isSecure = (baseUrl: string | undefined, request?: FastifyRequest): boolean =>
  baseUrl?.startsWith("https:") === true || (request !== undefined && isByTls(request));

/**
 * `__Host-` lets no other host of the domain, and no page without TLS, set the cookie; browsers take it with https only. Without it
 * one by the plain name is all there is: on a machine of one's own.
 */
export const sessionCookieName = (baseUrl: string | undefined, request?: FastifyRequest): string =>
  isSecure(baseUrl, request) ? "__Host-parley_session" : "parley_session";

export function sessionCookie({ ctx, baseUrl }: Site, request: FastifyRequest, reply: FastifyReply): SessionCookie {
  const name = sessionCookieName(baseUrl, request);
  // As long as a session lasts at most; the server knows better when it ends.
  const maxAge = Math.ceil(ctx.sessionTimes.longestMs / 1_000);
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure: isSecure(baseUrl, request) } as const;
  return {
    token: request.cookies[name] || undefined,
    set: (token) => void reply.setCookie(name, token, { ...attributes, maxAge }),
    clear: () => void reply.clearCookie(name, attributes),
    csrfToken: (token) => csrfToken(ctx, token),
  };
}

const csrfToken = (ctx: Site["ctx"], token: string): string => ctx.digest(csrfText(token)).toString("base64url");

/**
 * 403 for a request that another site may have had the browser send: by its Origin, or where that is missing by Sec-Fetch-Site. One
 * without either comes from no browser, and is let through unless it `mustBeKnown`. Reads do no harm: nobody else sees the answer.
 */
export function refuseOtherSite(site: Site, method: HttpMethod, request: FastifyRequest, mustBeKnown: boolean): void {
  if (method === "GET") return;
  const { origin, "sec-fetch-site": from } = request.headers;
  if (origin === undefined && from === undefined && !mustBeKnown) return;
  const isOurs = origin === undefined ? from === "same-origin" : isOwnOrigin(site, request, origin);
  if (!isOurs) throw failure("csrf_refused", "The request does not come from a page of this service");
}

/** 403 unless a request by cookie shows that it comes from a page of ours, which alone can have read the session's token. */
export function refuseForgery(site: Site, method: HttpMethod, request: FastifyRequest, token: string): void {
  if (method === "GET") return;
  refuseOtherSite(site, method, request, true);
  const right = Buffer.from(csrfToken(site.ctx, token));
  const given = Buffer.from(String(request.headers["x-csrf-token"] ?? ""));
  if (given.length !== right.length || !timingSafeEqual(given, right)) {
    throw failure("csrf_refused", "X-CSRF-Token is not the csrf_token of this session");
  }
}

/** Of the configured address, or of the host that the request names: a cookie is sent to its own host only. */
function isOwnOrigin({ baseUrl }: Site, request: FastifyRequest, origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { origin: theirs, host } = new URL(origin);
  return host === request.host || (baseUrl !== undefined && theirs === new URL(baseUrl).origin);
}
