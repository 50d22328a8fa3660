import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { EventKind } from "#domain/system/event.ts";
import { invalidField, overloaded, rateLimited } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Context } from "#operations/context.ts";
import {
  EVERY_EVENT,
  isWanted,
  type LoggedEvent,
  logBounds,
  logHeads,
  readEvents,
} from "#operations/system/read-events.ts";
import { eventView } from "./event-view.ts";
import { beat, drained, end, type Follower, type Following, newFollower, write } from "./follower.ts";
import type { Health } from "./health.ts";

/** How often the log is checked: one query for all tenants that are followed here. */
const LOOK_EVERY_MS = 200;
/** While the database is away five queries a second are not needed. */
const LOOK_AGAIN_MS = 1_000;
/** A key that is revoked, or a session that is over, has its streams for this long at most. */
const CHECK_EVERY_MS = 2_000;
/** What a browser waits before it comes back. */
const RETRY_MS = 2_000;
const PAGE = 500;
/** Pages of one tenant before the others have their turn. */
const PAGES_A_LOOK = 10;
const TENANTS_AT_ONCE = 4;

const MAX_OF_KEY = 20;
const MAX_OF_TENANT = 100;
const MAX_STREAMS = 2_000;
const COME_BACK_SECONDS = 5;

type Followed = { position: number; followers: Set<Follower> };

/**
 * The streams of this process. However many there are, the log is queried once for all of them, and each tenant's new events are read and
 * serialised once. A follower that begins in the past is served separately until it has caught up.
 */
export class Live {
  private readonly tenants = new Map<Uuid, Followed>();
  private readonly ctx: Context;
  private readonly health: Pick<Health, "draining">;
  private isLooking = false;

  constructor(ctx: Context, health: Pick<Health, "draining">) {
    this.ctx = ctx;
    this.health = health;
  }

  /** Begins a stream. Fails with 429 for a key or tenant that has too many; `isAllowed` is asked again and again whether it may go on. */
  async follow(wanted: Following, isAllowed: () => Promise<boolean>): Promise<Readable> {
    const { tenantId } = wanted.caller;
    this.refuseTooMany(wanted);
    const { head, oldest } = await logBounds(this.ctx, tenantId);
    // Others have come in meanwhile.
    this.refuseTooMany(wanted);
    const from = wanted.after ?? head;
    const isGone = from > head || from + 1 < oldest;
    const follower = newFollower(wanted, isGone ? head : from, isAllowed);
    const tenant = this.tenants.get(tenantId) ?? { position: head, followers: new Set() };
    tenant.followers.add(follower);
    this.tenants.set(tenantId, tenant);
    follower.out.once("close", () => this.leave(follower));
    const reset = isGone ? `event: reset\ndata: ${JSON.stringify({ after: from, oldest, head })}\n` : "";
    write(follower, `retry: ${RETRY_MS}\n${reset}id: ${follower.position}\n\n`);
    void this.catchUp(follower, tenant);
    if (!this.isLooking) void this.look();
    return follower.out;
  }

  private refuseTooMany({ caller }: Following): void {
    const theirs = [...(this.tenants.get(caller.tenantId)?.followers ?? [])];
    if (theirs.filter((follower) => follower.caller.keyId === caller.keyId).length >= MAX_OF_KEY) {
      throw rateLimited(COME_BACK_SECONDS, `Too many streams with this key: ${MAX_OF_KEY} are the most at once`);
    }
    if (theirs.length >= MAX_OF_TENANT) {
      throw rateLimited(COME_BACK_SECONDS, `Too many streams of this tenant: ${MAX_OF_TENANT} are the most at once`);
    }
    let all = 0;
    for (const { followers } of this.tenants.values()) all += followers.size;
    if (all >= MAX_STREAMS) throw overloaded("Too many streams are open", COME_BACK_SECONDS);
  }

  private leave(follower: Follower): void {
    const { tenantId } = follower.caller;
    const tenant = this.tenants.get(tenantId);
    tenant?.followers.delete(follower);
    if (tenant?.followers.size === 0) this.tenants.delete(tenantId);
  }

  /** Reads the events that a follower has missed, at its reading pace, until it is where its tenant is. */
  private async catchUp(follower: Follower, tenant: Followed): Promise<void> {
    const { filter, caller, out } = follower;
    follower.isLive = false;
    try {
      while (follower.position < tenant.position && !out.destroyed && !follower.isOver) {
        await drained(follower);
        const page = { after: follower.position, upTo: tenant.position, limit: PAGE };
        const { events, reached } = await readEvents(this.ctx, caller.tenantId, filter, page);
        write(follower, events.map(textOf).join(""));
        follower.position = reached;
      }
      // In the same turn as the comparison: nothing is sent in between.
      follower.isLive = true;
    } catch (error) {
      this.ctx.log.warn({ err: error }, "a stream of events was cut off");
      // The reader reconnects and resumes where it was.
      out.destroy();
    }
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    while (this.tenants.size > 0) {
      let waitMs = LOOK_EVERY_MS;
      try {
        await this.sendAll();
      } catch (error) {
        this.ctx.log.warn({ err: error }, "the log of events could not be read");
        waitMs = LOOK_AGAIN_MS;
      }
      for (const follower of this.all()) beat(follower);
      await pause(waitMs);
    }
    this.isLooking = false;
  }

  private all(): Follower[] {
    return [...this.tenants.values()].flatMap(({ followers }) => [...followers]);
  }

  private async sendAll(): Promise<void> {
    // Their readers reconnect to another node, and lose nothing.
    if (this.health.draining()) return this.all().forEach(end);
    await this.check();
    const heads = await logHeads(this.ctx, [...this.tenants.keys()]);
    const moved = [...this.tenants].filter(([id, { position }]) => (heads.get(id) ?? 0) > position);
    for (const some of piecesOf(moved, TENANTS_AT_ONCE)) {
      await Promise.all(some.map(([id, tenant]) => this.deliver(id, tenant, heads.get(id)!)));
    }
  }

  /** Sends a tenant's new events to its followers, each the events that match its filter. */
  private async deliver(tenantId: Uuid, tenant: Followed, head: number): Promise<void> {
    for (let pages = 0; tenant.position < head && pages < PAGES_A_LOOK; pages++) {
      const live = new Set([...tenant.followers].filter(({ isLive }) => isLive));
      const page = { after: tenant.position, upTo: head, limit: PAGE };
      const wanted = { ...EVERY_EVENT, kinds: kindsOfAll(live) };
      const { events, reached } = await readEvents(this.ctx, tenantId, wanted, page);
      const texts = events.map((event) => [event, textOf(event)] as const);
      tenant.position = reached;
      for (const follower of tenant.followers) {
        if (live.has(follower)) {
          if (follower.position >= reached) continue;
          const theirs = texts.filter(([event]) => event.seq > follower.position && isWanted(event, follower.filter));
          write(follower, theirs.map(([, text]) => text).join(""));
          follower.position = reached;
        } else if (follower.isLive) {
          // This follower caught up during the read, whose filter may have excluded events that it needs.
          void this.catchUp(follower, tenant);
        }
      }
    }
  }

  /** Ends the streams of keys and sessions that are no more: one query for all of a key. */
  private async check(): Promise<void> {
    const now = performance.now();
    const due = this.all().filter(({ checkedAt }) => now - checkedAt > CHECK_EVERY_MS);
    for (const theirs of Map.groupBy(due, ({ caller }) => caller.keyId).values()) {
      const goesOn = await theirs[0]!.isAllowed();
      for (const follower of theirs) {
        follower.checkedAt = now;
        if (!goesOn) end(follower);
      }
    }
  }
}

/** Every kind that any filter includes; undefined where one includes all. */
function kindsOfAll(followers: ReadonlySet<Follower>): EventKind[] | undefined {
  const kinds = new Set<EventKind>();
  for (const { filter } of followers) {
    if (!filter.kinds) return undefined;
    for (const kind of filter.kinds) kinds.add(kind);
  }
  return [...kinds];
}

const textOf = (event: LoggedEvent): string => `id: ${event.seq}\ndata: ${JSON.stringify(eventView(event))}\n\n`;

/** Answers with a stream of events, for as long as the reader stays. `Last-Event-ID` says how far he has come. */
export async function sendEvents(
  live: Live,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: Following,
  isAllowed: () => Promise<boolean>,
): Promise<FastifyReply> {
  const last = request.headers["last-event-id"];
  if (last !== undefined && !/^\d{1,15}$/.test(String(last))) {
    throw invalidField("Last-Event-ID", "must be the id of an event of this stream");
  }
  const after = last === undefined ? wanted.after : Number(last);
  const stream = request.method === "HEAD" ? Readable.from([]) : await live.follow({ ...wanted, after }, isAllowed);
  return (
    reply
      .type("text/event-stream; charset=utf-8")
      .header("cache-control", "no-store")
      // Proxies would hold it back until there is much of it.
      .header("x-accel-buffering", "no")
      // A drain waits for connections that are kept, and this one may end in the midst of it.
      .header("connection", "close")
      .send(stream)
  );
}
