import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { isInRanges, rangesOf } from "#domain/accounts/address-range.ts";
import { addressOf, peerOf } from "./client-address.ts";

/** This machine itself, in both worlds of addresses. */
const LOOPBACK = rangesOf(["127.0.0.0/8", "::1"]);

/** What proxies write into a request that they pass on. */
const PASSED_ON = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via"];

export type MetricsAccess = {
  /** What a monitor sends from elsewhere; undefined: nobody may from elsewhere. */
  token: string | undefined;
  trustedProxies: readonly string[] | undefined;
};

/**
 * Whether who asks for metrics has the token, or is on this machine. A proxy that runs here connects from loopback too, for everybody: what one of the
 * trusted proxies sends, or what names somebody it was passed on for, is not of this machine.
 */
export function metricsReaders({ token, trustedProxies = [] }: MetricsAccess): (request: FastifyRequest) => boolean {
  const proxies = rangesOf(trustedProxies);
  const right = token === undefined ? undefined : digest(`Bearer ${token}`);
  const isHere = (request: FastifyRequest): boolean => {
    const peer = peerOf(request);
    if (!isInRanges(peer, LOOPBACK) || isInRanges(peer, proxies)) return false;
    return isInRanges(addressOf(request), LOOPBACK) && PASSED_ON.every((name) => request.headers[name] === undefined);
  };
  return (request) => {
    const { authorization = "" } = request.headers;
    const given = digest(authorization.replace(/^bearer /i, "Bearer "));
    return (right !== undefined && timingSafeEqual(given, right)) || isHere(request);
  };
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
