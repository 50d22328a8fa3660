import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Context } from "#operations/context.ts";
import { addressOf, listeningAt } from "./client-address.ts";
import { type DeviceCookie, deviceCookie } from "./device-cookie.ts";
import { type SessionCookie, sessionCookie } from "./session-cookie.ts";
import { type SignOnCookie, signOnCookie } from "./sign-on-cookie.ts";

const NEVER = new AbortController().signal;

/** Longer than any browser's; of another program the start will do. */
const MAX_USER_AGENT = 300;

/** The part of an Edge that is needed here. */
type Site = {
  ctx: Pick<Context, "digest" | "sessionTimes">;
  baseUrl: string | undefined;
  linkUrl: string | undefined;
};

export type From = { address: string; userAgent: string | undefined };

/** What a handler gets of a request. What few of them read is made when it is read: a signal alone costs as much as all the rest. */
export class Asked<P, Q, B, File> {
  /** What is the caller's of it: limited to organizations where the caller is. */
  readonly ctx: Context;
  readonly caller: Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Of operations that take one. */
  readonly file: File;
  readonly #site: Site;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(
    site: Site,
    request: FastifyRequest,
    reply: FastifyReply,
    { ctx, caller, file }: { ctx: Context; caller: Caller; file: File },
  ) {
    this.ctx = ctx;
    this.caller = caller;
    this.params = request.params as P;
    this.query = request.query as Q;
    this.body = request.body as B;
    this.file = file;
    this.#site = site;
    this.#request = request;
    this.#reply = reply;
  }

  /** Scheme, host and port that a link of ours begins with. */
  get origin(): string {
    return this.#site.linkUrl ?? listeningAt(this.#request);
  }

  /**
   * Aborts when who asks for something to read has gone. What changes something is carried through: a number could have been bought that nobody knows of.
   * Fastify's own signal would abort it, or not, by how soon after the body it is looked at: the request is over for Node by then.
   */
  get signal(): AbortSignal {
    return this.#request.method === "GET" ? this.#request.signal : NEVER;
  }

  get cookie(): SessionCookie {
    return sessionCookie(this.#site, this.#request, this.#reply);
  }

  get device(): DeviceCookie {
    return deviceCookie(this.#site, this.#request, this.#reply);
  }

  get signOn(): SignOnCookie {
    return signOnCookie(this.#site, this.#request, this.#reply);
  }

  get from(): From {
    return fromOf(this.#request);
  }
}

/** Where a request comes from, and by which program. */
export const fromOf = (request: FastifyRequest): From => ({
  address: addressOf(request),
  userAgent: request.headers["user-agent"]?.slice(0, MAX_USER_AGENT),
});
