import type { LoggedRequest, RequestClass } from "#domain/system/logged-request.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { keepRequests, trimRequests } from "#operations/system/keep-requests.ts";

const WRITE_EVERY_MS = 1_000;
const TRIM_EVERY_MS = 60_000;
/** So many of a tenant are looked at sooner: how far the log may be over what is kept. */
const TRIM_AFTER = 20_000;
/** Written at once; with an error's answer each is some 2 kB. */
const MAX_AT_ONCE = 2_000;
/** Of one class of one tenant until they are written, which is each second: of more the first are kept. */
const MAX_OF_ONE = 2_000;
/** Of all. While the database is away so many are remembered; past it those are dropped of which there are most, and of tenants whose server is down first. */
const MAX_WAITING = 10_000;

type Line = LoggedRequest[];

/**
 * Requests as they were answered, in memory until they are written: one statement a second for all of them, so that none waits for its
 * own. Each class of each tenant waits in a line of its own: none pushes another out. Those of a tenant whose server of a distributed database is
 * down wait until it is back. What a crash takes with it is lost, and a log that cannot be written fails no request.
 */
export class RequestLog {
  private readonly ctx: Context;
  private readonly timer: NodeJS.Timeout;
  private readonly lines = new Map<string, Line>();
  private count = 0;
  /** How many of each tenant were written since its log was trimmed. */
  private readonly written = new Map<Uuid, number>();
  private trimmedAt = performance.now();
  private writing: Promise<void> | undefined;

  constructor(ctx: Context) {
    this.ctx = ctx;
    this.timer = setInterval(() => void this.write(), WRITE_EVERY_MS);
    this.timer.unref();
  }

  /** Whether another of this class would be kept. */
  hasRoomFor(tenantId: Uuid, of: RequestClass): boolean {
    const line = this.lines.get(`${tenantId} ${of}`);
    return line === undefined || line.length < MAX_OF_ONE;
  }

  note(request: LoggedRequest): void {
    if (this.count >= MAX_WAITING && this.isAway(request.tenantId)) return;
    const line = this.lineOf(request);
    if (line.length >= MAX_OF_ONE) return;
    line.push(request);
    this.count++;
    if (this.count > MAX_WAITING) this.dropOfMost();
  }

  /** Writes what waits, and nothing more from then on. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
    await this.write();
  }

  private lineOf({ tenantId, class: of }: LoggedRequest): Line {
    const name = `${tenantId} ${of}`;
    const line = this.lines.get(name) ?? [];
    this.lines.set(name, line);
    return line;
  }

  private isAway(tenantId: Uuid): boolean {
    return this.ctx.db.isAway?.(tenantId) ?? false;
  }

  private hasToWait([first]: Line): boolean {
    return first !== undefined && this.isAway(first.tenantId);
  }

  private dropOfMost(): void {
    let longest: { line: Line; hasToWait: boolean } = { line: [], hasToWait: false };
    for (const line of this.lines.values()) {
      const hasToWait = this.hasToWait(line);
      if (hasToWait === longest.hasToWait ? line.length > longest.line.length : hasToWait)
        longest = { line, hasToWait };
    }
    // Half of what waits for a server goes at once: the next ones have room without another look at all lines.
    this.count -= longest.line.splice(longest.hasToWait ? Math.floor(longest.line.length / 2) : -1).length;
  }

  private writable(): [string, Line][] {
    return [...this.lines].filter(([, line]) => !this.hasToWait(line));
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
    let left = this.writable().reduce((sum, [, line]) => sum + line.length, 0);
    while (left > 0) {
      const batch = this.take();
      if (batch.length === 0) break;
      left -= batch.length;
      await this.writeSome(batch);
    }
    await this.trim();
  }

  private async writeSome(batch: readonly LoggedRequest[]): Promise<void> {
    try {
      await keepRequests(this.ctx, batch);
    } catch (error) {
      for (const request of batch.toReversed()) this.lineOf(request).unshift(request);
      this.count += batch.length;
      throw error;
    }
    for (const { tenantId } of batch) this.written.set(tenantId, (this.written.get(tenantId) ?? 0) + 1);
  }

  /** The first of each line, as many of the one as of the other where they are more than fit. */
  private take(): LoggedRequest[] {
    const batch: LoggedRequest[] = [];
    // The shortest come first: what they leave is the others'.
    const lines = this.writable().sort(([, a], [, b]) => a.length - b.length);
    for (const [i, [name, line]] of lines.entries()) {
      batch.push(...line.splice(0, Math.ceil((MAX_AT_ONCE - batch.length) / (lines.length - i))));
      if (line.length === 0) this.lines.delete(name);
    }
    this.count -= batch.length;
    return batch;
  }

  private async trim(): Promise<void> {
    const isDue = performance.now() - this.trimmedAt >= TRIM_EVERY_MS;
    const due = [...this.written]
      .filter(([tenantId, count]) => (isDue || count >= TRIM_AFTER) && !this.isAway(tenantId))
      .map(([tenantId]) => tenantId);
    if (isDue) this.trimmedAt = performance.now();
    else if (due.length === 0) return;
    for (const tenantId of due) this.written.delete(tenantId);
    await trimRequests(this.ctx, due);
  }
}
