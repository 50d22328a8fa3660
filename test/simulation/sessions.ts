import type pg from "pg";
import { type Db, dbOver } from "#store/database/db.ts";
import type { Backend, Backends, Outcome, Query } from "./backends.ts";
import type { Random } from "./random.ts";
import { currentTask, type Process, type Scheduler, type Task } from "./scheduler.ts";

/** A statement that was committed, with what it was given. */
export type Executed = { name: string; values: readonly unknown[]; rowCount: number };
/** Called for every commit, in the order in which PostgreSQL made them, whether or not the process lived to learn of it. */
export type OnCommit = (executed: readonly Executed[], task: Task) => void;
/** Called for every statement in a transaction, when it has been run. */
export type OnStatement = (name: string) => void;

type Item = {
  query: Query;
  before: Query[];
  task: Task;
  resolve(result: pg.QueryResult): void;
  reject(error: Error): void;
};

/** As many as a process has by default. */
const POOL_SIZE = 10;
/** How often other things happen between PostgreSQL's answer and the process that receives it. */
const ANSWER_DELAYED = 0.12;
/** The answer to a commit is then often long on its way: what was promised is known to everyone but the one who promised. */
const COMMIT_ANSWER_LONG = 0.6;
const ON_THE_WAY_MS = 3_000;

const NOTHING = { rows: [], rowCount: 0, command: "", oid: 0, fields: [] } as unknown as pg.QueryResult;
const textOf = (query: Query): string => (typeof query === "string" ? query : query.text);
const nameOf = (query: Query): string => (typeof query === "string" ? query : (query.name ?? query.text.slice(0, 40)));

/** What sessions share: the connections, the schedule, and who listens. */
export type Database = {
  backends: Backends;
  scheduler: Scheduler;
  random: Random;
  onCommit: OnCommit;
  onStatement: OnStatement;
};

/** Sessions whose statements have come through a lock, by their connections. */
const atLocks = new WeakMap<Backend, Session>();

/**
 * The pool of one life of one process, in place of pg's: each statement is a thing that may happen next. When the
 * process dies its open transactions are rolled back, at once or when the database notices.
 */
export class SessionPool {
  readonly database: Database;
  readonly process: Process;
  private readonly sessions = new Set<Session>();
  private readonly queue: (() => void)[] = [];

  constructor(database: Database, process: Process) {
    this.database = database;
    this.process = process;
  }

  /** For the service's own code, which knows pg's pool. */
  asDb(): Db {
    return dbOver(this as unknown as pg.Pool, (client, scope, query) =>
      (client as unknown as Session).query({ ...query, scope }),
    );
  }

  async connect(): Promise<Session> {
    if (this.sessions.size >= POOL_SIZE) await new Promise<void>((resolve) => this.queue.push(resolve));
    const session = new Session(this);
    this.sessions.add(session);
    return session;
  }

  async query(query: Query): Promise<pg.QueryResult> {
    const session = await this.connect();
    try {
      return await session.query(query);
    } finally {
      session.release();
    }
  }

  on(): void {}

  async end(): Promise<void> {}

  drop(session: Session): void {
    this.sessions.delete(session);
    this.queue.shift()?.();
  }

  /** Those that are in the middle of something. */
  busy(): Session[] {
    return [...this.sessions].filter((session) => session.isBusy());
  }

  /** After the process's death. */
  async rollBackAll(): Promise<void> {
    for (const session of this.sessions) await session.forget();
  }
}

/** One session, from `connect` to `release`. It has a true connection from its first statement to its commit. */
export class Session {
  private readonly pool: SessionPool;
  private readonly handlers = new Set<(error: Error) => void>();
  private queue: Item[] = [];
  private backend: Backend | undefined;
  private before: Query[] = [];
  private inTransaction = false;
  private isOffered = false;
  private isAtLock = false;
  private lost: Error | undefined;
  private executed: Executed[] = [];

  constructor(pool: SessionPool) {
    this.pool = pool;
  }

  on(_event: "error", handler: (error: Error) => void): void {
    this.handlers.add(handler);
  }

  off(_event: "error", handler: (error: Error) => void): void {
    this.handlers.delete(handler);
  }

  release(): void {
    this.pool.drop(this);
  }

  isBusy(): boolean {
    return this.lost === undefined && (this.inTransaction || this.queue.length > 0);
  }

  query(query: Query): Promise<pg.QueryResult> {
    if (this.lost) return Promise.reject(this.lost);
    const text = textOf(query);
    if (/^(begin|set local)\b/i.test(text)) {
      // It waits for nobody, and travels with the statement that comes after it.
      this.before.push(query);
      return Promise.resolve(NOTHING);
    }
    if (/^(commit|rollback)$/i.test(text) && !this.inTransaction && this.queue.length === 0) {
      this.before = [];
      return Promise.resolve(NOTHING);
    }
    const task = currentTask();
    if (!task) throw new Error(`a statement outside the simulation: ${nameOf(query)}`);
    return new Promise((resolve, reject) => {
      this.queue.push({ query, before: this.before, task, resolve, reject });
      this.before = [];
      this.offer();
    });
  }

  /** The connection breaks: the database rolls back, the process gets an error. */
  async sever(): Promise<void> {
    const error = Object.assign(new Error("Connection terminated unexpectedly"), { code: "57P01" });
    this.lost = error;
    await this.giveBack(true);
    for (const { reject } of this.queue.splice(0)) reject(error);
    for (const handler of this.handlers) handler(error);
  }

  /** The next statement fails as a deadlock's victim does. */
  async loseDeadlock(): Promise<void> {
    if (!this.inTransaction || this.isAtLock) return;
    const [item] = this.queue;
    if (!item || /^(commit|rollback)$/i.test(textOf(item.query))) return;
    const { backends } = this.pool.database;
    await backends.execute(this.backend!, ["select 1 / 0"]);
    this.queue.shift();
    item.reject(Object.assign(new Error("deadlock detected"), { code: "40P01" }));
    this.offer();
  }

  /** The process is dead: it receives nothing of what it waited for. What waits for a lock goes on waiting. */
  async forget(): Promise<void> {
    if (!this.isAtLock) await this.giveBack(false);
  }

  private offer(): void {
    const [item] = this.queue;
    if (!item || this.isOffered || this.isAtLock) return;
    this.isOffered = true;
    this.pool.database.scheduler.offer({
      task: item.task,
      what: nameOf(item.query),
      run: () => this.dispatch(),
      tracesItself: true,
    });
  }

  private async dispatch(): Promise<void> {
    this.isOffered = false;
    const [item] = this.queue;
    // Lost meanwhile.
    if (!item) return;
    const { backends } = this.pool.database;
    this.backend ??= await backends.take();
    if (item.before.some((query) => textOf(query).startsWith("begin"))) this.inTransaction = true;
    const outcome = await backends.execute(this.backend, [...item.before, item.query]);
    if (outcome === "waiting") {
      this.isAtLock = true;
      atLocks.set(this.backend, this);
      this.trace(item, "waits for a lock");
      return;
    }
    this.conclude(outcome, this.pool.database.random.chance(ANSWER_DELAYED));
    // A failed statement gives back all that its transaction had locked.
    if (!this.inTransaction || outcome.error) await this.locksGiven();
  }

  /** Enters what became of the first statement, and answers the process. */
  private conclude(outcome: Outcome, isDelayed: boolean): void {
    const item = this.queue.shift()!;
    const text = textOf(item.query);
    const isEnd = /^(commit|rollback)$/i.test(text);
    if (outcome.result && !isEnd) {
      const values = typeof item.query === "string" ? [] : (item.query.values ?? []);
      this.pool.database.onStatement(nameOf(item.query));
      this.executed.push({ name: nameOf(item.query), values, rowCount: outcome.result.rowCount ?? 0 });
    }
    if (isEnd) this.inTransaction = false;
    const isCommitted = isEnd ? outcome.result?.command === "COMMIT" : !this.inTransaction && outcome.result;
    this.trace(item, outcome.error ? `fails: ${outcome.error.message}` : `${outcome.result.rowCount ?? "done"}`);
    if (isCommitted) this.pool.database.onCommit(this.executed, item.task);
    if (!this.inTransaction) {
      this.executed = [];
      this.pool.database.backends.give(this.backend!);
      this.backend = undefined;
    }
    const deliver = () => (outcome.error ? item.reject(outcome.error) : item.resolve(outcome.result));
    if (!isDelayed) deliver();
    else {
      const { scheduler, random } = this.pool.database;
      const action = { task: item.task, what: `learns of ${nameOf(item.query)}`, run: deliver };
      const isLong = isCommitted && isEnd && random.chance(COMMIT_ANSWER_LONG);
      if (isLong) scheduler.at(scheduler.now + random.int(1, ON_THE_WAY_MS), action);
      else scheduler.offer(action);
    }
    this.offer();
  }

  /** Its statement has come through the lock. */
  private async comeThrough(outcome: Outcome): Promise<void> {
    this.isAtLock = false;
    this.conclude(outcome, true);
    if (this.pool.process.state === "dead") await this.giveBack(false);
  }

  private async giveBack(isSevered: boolean): Promise<void> {
    const { backends } = this.pool.database;
    const backend = this.backend;
    if (!backend) return;
    this.backend = undefined;
    if (this.isAtLock) await backends.cancel(backend);
    this.isAtLock = false;
    if (this.inTransaction) await backends.rollback(backend);
    this.inTransaction = false;
    this.executed = [];
    this.pool.database.scheduler.trace(this.pool.process.name, isSevered ? "a connection breaks" : "is rolled back");
    backends.give(backend);
    await this.locksGiven();
  }

  private async locksGiven(): Promise<void> {
    for (const { backend, outcome } of await this.pool.database.backends.comeThrough()) {
      await atLocks.get(backend)!.comeThrough(outcome);
    }
  }

  private trace({ task, query }: Item, what: string): void {
    this.pool.database.scheduler.trace(`${task.process.name} ${task.name}`, `${nameOf(query)}: ${what}`);
  }
}
