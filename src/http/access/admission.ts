import type { FastifyReply, FastifyRequest } from "fastify";
import { loadOf, type Operation } from "#contract/values/operation.ts";
import { overloaded, rateLimited } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";

export type AdmissionSettings = {
  /** How long a request waits for the event loop and the database now, in milliseconds. */
  waitMs(): number;
  /** Past this wait bulk posts and lists are turned away, past ten times as much all but inbound texts; 0 is never. */
  overloadMs: number;
};

/** Four of the largest bodies. What they are parsed into is bounded where that is done. */
const BULK_BYTES = 256 * 1024 * 1024;
/** One tenant may hold half of it, so that a slow upload of his keeps nobody else waiting. */
const BULK_BYTES_OF_ONE = BULK_BYTES / 2;
/** Each holds a body of up to 1 MB and some promises; more than this would only wait for each other. */
const MAX_IN_FLIGHT = 1_000;
/** Each list is up to 500 rows to serialise, some 10 ms that everybody waits for: this many are half a second. */
const MAX_LISTS_IN_FLIGHT = 48;
/** The database takes ten at once. A tenant with this many waiting is served no sooner by sending more. */
const MAX_IN_FLIGHT_OF_ONE = 256;

/** What a request is counted with, and whether it is over. */
export type Admitted = { readonly lists: number; readonly size: number; tenant: Uuid | undefined; isOver: boolean };

/** Two that are counted together: requests, or bytes of bodies. */
class Share {
  private total = 0;
  private readonly byTenant = new Map<Uuid, number>();
  private readonly max: number;
  private readonly maxOfOne: number;

  constructor(max: number, maxOfOne: number) {
    this.max = max;
    this.maxOfOne = maxOfOne;
  }

  fits = (amount: number): boolean => this.total + amount <= this.max;
  fitsTenant = (tenant: Uuid, amount: number): boolean => (this.byTenant.get(tenant) ?? 0) + amount <= this.maxOfOne;

  add(amount: number): void {
    this.total += amount;
  }

  addTo(tenant: Uuid, amount: number): void {
    const now = (this.byTenant.get(tenant) ?? 0) + amount;
    if (now > 0) this.byTenant.set(tenant, now);
    else this.byTenant.delete(tenant);
  }
}

/**
 * Decides which requests are served under overload. Bulk posts and lists are turned away first, inbound texts and numbers for the
 * do-not-call list never: a STOP must be processed under any load. It is decided before a body is read, so that what is refused costs no memory.
 */
export class Admission {
  private readonly requests = new Share(MAX_IN_FLIGHT, MAX_IN_FLIGHT_OF_ONE);
  private readonly lists = new Share(MAX_LISTS_IN_FLIGHT, MAX_LISTS_IN_FLIGHT);
  private readonly bytes = new Share(BULK_BYTES, BULK_BYTES_OF_ONE);
  private readonly settings: AdmissionSettings;

  constructor(settings: AdmissionSettings) {
    this.settings = settings;
  }

  /** Counts a request in until it is answered or gone; undefined for one that is not counted here. Fails with 503. */
  enter(operation: Operation, request: FastifyRequest, reply: FastifyReply): Admitted | undefined {
    const load = loadOf(operation);
    if (load === "inbound") return undefined;
    this.refuseWhenLate(load);
    // Event streams and sockets are counted where they are served.
    if (operation.stream || operation.socket) return undefined;
    const [lists, size] = [load === "list" ? 1 : 0, bulkBytes(operation, request)];
    if (!this.lists.fits(lists)) throw overloaded("Too many lists are being made", 1);
    if (!this.requests.fits(1)) throw overloaded("Too many requests are being served", 1);
    if (!this.bytes.fits(size)) throw overloaded("Too many large bodies are being read", 5);
    const admitted: Admitted = { lists, size, tenant: undefined, isOver: false };
    this.count(admitted, 1);
    // Comes once, also for a connection that is cut.
    reply.raw.once("close", () => {
      admitted.isOver = true;
      this.count(admitted, -1);
      this.countToTenant(admitted, -1);
    });
    return admitted;
  }

  /** Counts it to its tenant too, once that is known, unless its connection was cut meanwhile. Fails with 429. */
  enterAs(tenant: Uuid, admitted: Admitted | undefined): void {
    if (admitted === undefined || admitted.isOver) return;
    if (!this.requests.fitsTenant(tenant, 1) || !this.bytes.fitsTenant(tenant, admitted.size)) {
      throw rateLimited(1, "Too many requests of this tenant at once");
    }
    admitted.tenant = tenant;
    this.countToTenant(admitted, 1);
  }

  private refuseWhenLate(load: "ordinary" | "list" | "bulk"): void {
    const { overloadMs, waitMs } = this.settings;
    if (overloadMs === 0) return;
    const limit = load === "ordinary" ? 10 * overloadMs : overloadMs;
    if (waitMs() > limit) throw overloaded("There is too much to do at once; repeat the request shortly", 2);
  }

  private count({ lists, size }: Admitted, sign: 1 | -1): void {
    this.requests.add(sign);
    this.lists.add(sign * lists);
    this.bytes.add(sign * size);
  }

  private countToTenant({ tenant, size }: Admitted, sign: 1 | -1): void {
    if (tenant === undefined) return;
    this.requests.addTo(tenant, sign);
    this.bytes.addTo(tenant, sign * size);
  }
}

/** A body's bytes as far as they count: those of bulk posts, by what they say they have, else by what they may have. */
function bulkBytes(operation: Operation, request: FastifyRequest): number {
  if (loadOf(operation) !== "bulk") return 0;
  const said = Number(request.headers["content-length"]);
  return Math.min(Number.isFinite(said) ? said : Number.POSITIVE_INFINITY, operation.bodyLimit ?? 0);
}
