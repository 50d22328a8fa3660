import type { Uuid } from "#domain/id.ts";
import type { LoggedRequest } from "#domain/logged-request.ts";
import type { Context } from "#operations/context.ts";
import { keepRequests, trimRequests } from "#operations/keep-requests.ts";

const WRITE_EVERY_MS = 1_000;
const TRIM_EVERY_MS = 60_000;
/** Written at once; with an error's answer each is some 2 kB. */
const MAX_AT_ONCE = 2_000;
/** While the database is away so many are remembered; those that come then are not. */
const MAX_WAITING = 10_000;

/**
 * Requests as they were answered, in memory until they are written: one statement a second for all of them, so that none waits for its
 * own. What a crash takes with it is lost, and a log that cannot be written fails nobody.
 */
export class RequestLog {
  private readonly ctx: Context;
  private readonly timer: NodeJS.Timeout;
  private waiting: LoggedRequest[] = [];
  private readonly seen = new Set<Uuid>();
  private trimmedAt = performance.now();
  private writing: Promise<void> | undefined;

  constructor(ctx: Context) {
    this.ctx = ctx;
    this.timer = setInterval(() => void this.write(), WRITE_EVERY_MS);
    this.timer.unref();
  }

  note(it: LoggedRequest): void {
    if (this.waiting.length < MAX_WAITING) this.waiting.push(it);
  }

  /** Writes what waits, and nothing more from then on. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
    await this.write();
  }

  private write(): Promise<void> {
    this.writing ??= this.writeAll()
      .catch((err) => this.ctx.log.warn({ err }, "requests could not be logged"))
      .finally(() => {
        this.writing = undefined;
      });
    return this.writing;
  }

  private async writeAll(): Promise<void> {
    // What comes while these are written is for the next second.
    for (let left = this.waiting.length; left > 0; left -= MAX_AT_ONCE) {
      const batch = this.waiting.slice(0, MAX_AT_ONCE);
      await keepRequests(this.ctx, batch);
      this.waiting = this.waiting.slice(batch.length);
      for (const { tenantId } of batch) this.seen.add(tenantId);
    }
    if (performance.now() - this.trimmedAt < TRIM_EVERY_MS) return;
    this.trimmedAt = performance.now();
    const tenants = [...this.seen];
    this.seen.clear();
    await trimRequests(this.ctx, tenants);
  }
}
