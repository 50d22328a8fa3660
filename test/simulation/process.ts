import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { processState } from "#operations/process-state.ts";
import { DISK_FULL } from "./outside.ts";
import type { Process, Scheduler } from "./scheduler.ts";
import { type Database, SessionPool } from "./sessions.ts";

/** A proof of the node's lock is good for this long; it is renewed three times as often. As in store/system/nodes.ts. */
const PROOF_GOOD_MS = 1_500;
const PROVES_AFTER_MS = 500;

/** What a process is made of beside its place in the schedule. */
export type Surroundings = {
  database: Database;
  /** Everything that is the same for all processes. */
  shared: Omit<Context, "db" | "node" | "log">;
  /** Enters a node in the register and takes its lock. */
  join(id: Uuid, lockedBy: string): Promise<string>;
  unlock(lock: string): Promise<void>;
  /** What an operation ended with, when it is not to be expected. */
  problem(what: string): void;
};

let lives = 0;

/** One life of a process of the service: its context, its connections, its place among its fellows. */
export class LivingProcess implements Process {
  readonly name: string;
  readonly role: "worker" | "api";
  state: Process["state"] = "running";
  readonly pool: SessionPool;
  readonly ctx: Context;
  readonly lockedBy: string;
  /** Loops of it that are in the middle of their work. */
  readonly loops = new Set<string>();
  jobs = 0;
  fetching = false;
  private readonly around: Surroundings;
  private readonly scheduler: Scheduler;
  private nodeId: Uuid = "";
  private lock: string | undefined;
  private readonly mourners: (() => void)[] = [];
  private provenAt = 0;
  private awakeSince = 0;

  constructor(name: string, role: LivingProcess["role"], around: Surroundings) {
    this.name = name;
    this.role = role;
    this.around = around;
    this.scheduler = around.database.scheduler;
    this.pool = new SessionPool(around.database, this);
    this.lockedBy = `${name} of life ${++lives}`;
    const process = this;
    const db = this.pool.asDb();
    this.ctx = {
      ...around.shared,
      process: processState(),
      db,
      tenantDb: db,
      node: {
        get id() {
          return process.nodeId;
        },
        alive: () => role === "api" || this.isProven(),
      },
      log: {
        info: () => {},
        warn: (_data, message) => this.scheduler.trace(name, `warns: ${message}`),
        error: (_data, message) => this.scheduler.trace(name, `complains: ${message}`),
      },
    };
  }

  /** Takes a place in the cluster; again, as a new node, when it has lost one. */
  async join(): Promise<void> {
    this.nodeId = this.around.shared.newId();
    this.lock = await this.around.join(this.nodeId, this.lockedBy);
    this.provenAt = this.scheduler.now;
    this.scheduler.trace(this.name, "has joined");
  }

  pause(): void {
    // The last proof is as new as can be, and grows old meanwhile.
    if (this.lock !== undefined) this.provenAt = this.scheduler.now;
    this.state = "paused";
  }

  resume(): void {
    if (this.state !== "paused") return;
    this.state = "running";
    this.awakeSince = this.scheduler.now;
  }

  /** Its lock is gone, it is not: it may believe in its last proof for a while. */
  async loseLock(): Promise<void> {
    if (this.lock === undefined) return;
    if (this.state === "running") this.provenAt = this.scheduler.now;
    const lock = this.lock;
    this.lock = undefined;
    await this.around.unlock(lock);
  }

  /** It ends here and now. What it has in the database goes with `vanish`. */
  die(): void {
    this.state = "dead";
    for (const mourn of this.mourners) mourn();
  }

  onDeath(mourn: () => void): void {
    this.mourners.push(mourn);
  }

  /** The database has noticed its death. */
  async vanish(): Promise<void> {
    await this.pool.rollBackAll();
    if (this.lock !== undefined) await this.around.unlock(this.lock);
    this.lock = undefined;
  }

  hasLock(): boolean {
    return this.lock !== undefined;
  }

  failed(what: string, error: unknown): void {
    const { message, code, name } = error as Error & { code?: string };
    this.scheduler.trace(this.name, `${what} failed: ${message}`);
    // Broken connections and full disks are the simulation's own doing, and so are deadlocks past all retries.
    if (code !== "57P01" && code !== "40P01" && code !== DISK_FULL)
      this.around.problem(`${what} failed: ${name} ${code ?? ""} ${message}`);
  }

  private isProven(): boolean {
    const { now } = this.scheduler;
    if (this.lock !== undefined && now - this.awakeSince >= PROVES_AFTER_MS) this.provenAt = now;
    return now - this.provenAt < PROOF_GOOD_MS;
  }
}
