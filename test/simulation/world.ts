import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import { enqueueDue, finishCampaigns } from "#operations/sending/sweep.ts";
import type { Backends } from "./backends.ts";
import { FaultyCarrier, type HandedOver, type Receipt } from "./carrier.ts";
import { Jobs } from "./jobs.ts";
import { People } from "./people.ts";
import { type Fault, MOMENTS, type Plan } from "./plan.ts";
import { LivingProcess, type Surroundings } from "./process.ts";
import type { Random } from "./random.ts";
import type { Action, Process, Scheduler, Task, Timer } from "./scheduler.ts";
import type { Executed } from "./sessions.ts";
import { Witness } from "./witness.ts";

type Loop = { work(ctx: Context): Promise<void>; share: number };
/** How often each comes round while everybody waits: what is not done in one round is done in another. */
const LOOPS: Record<string, Loop> = {
  recover: { work: (ctx) => recoverAttempts(ctx, new AbortController().signal), share: 1 },
  enqueue: { work: enqueueDue, share: 0.5 },
  finish: { work: finishCampaigns, share: 0.25 },
};
/** The statements after which there may be a job to run. */
const ENQUEUES = new Set(["add-jobs", "add-missing-jobs", "free-jobs-of-nodes"]);
/** A loop begins this often beside other work. */
const LOOP_BEGINS = 0.015;
/** When a carrier that has had no answer to its webhook brings it again. */
const WEBHOOK_AGAIN_MS = 15_000;
/** What a lost machine had in the database is there until the server notices. */
const NOTICED_WITHIN_MS = 30_000;
/** A run that has not come to rest by then never will. */
const MAX_STEPS = 8_000;
const MAX_DAYS = 60;
const MAX_IDLE = 60;
const OVERDUE_MS = 1_000;
/** Once people have no plans faults have so many more chances to come. */
const MAX_WAITS = 20;

const NEXT_DUE = `select least(
    (select min(check_at) from attempts where tenant_id = $1 and state in ('in_flight', 'uncertain')),
    (select min(next_due_at) from lanes where tenant_id = $1 and next_due_at < 'infinity'),
    (select min(reply_due_at) from threads where tenant_id = $1),
    (select min(run_at) from graphile_worker._private_jobs where is_available)) as at`;

/** What every run is made of, whatever its seed. */
export type Base = { backends: Backends; shared: Omit<Context, "db" | "node" | "log">; epoch: number; tenantId: Uuid };

/** One run: the processes of the service, the carrier, the people and the faults, and what was seen of them. */
export class World {
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly base: Base;
  readonly witness: Witness;
  readonly carrier: FaultyCarrier;
  readonly people: People;
  /** The task of everything that is not the service. */
  readonly task: Task;
  private readonly jobs: Jobs;
  private readonly surroundings: Surroundings;
  private processes: LivingProcess[] = [];
  private faults: Fault[];
  private nextFaultAt = 0;
  /** Of the statements that people wait for, what the last step has run. */
  private readonly executed = new Set<string>();
  private hasLooked = false;
  private idle = 0;
  private waits = 0;
  private locks = 0;

  constructor(plan: Plan, scheduler: Scheduler, random: Random, carrierRandom: Random, base: Base) {
    this.plan = plan;
    this.scheduler = scheduler;
    this.random = random;
    this.base = base;
    this.task = { process: { name: "world", state: "running" }, name: "world", scheduler };
    this.witness = new Witness(scheduler);
    this.carrier = new FaultyCarrier(plan, carrierRandom, this.task, {
      handedOver: (handOver: HandedOver) => this.witness.handedOver(handOver),
      receipts: (receipts) => this.bringReceipts(receipts),
    });
    this.people = new People(this);
    this.jobs = new Jobs();
    this.faults = [...plan.faults];
    this.nextFaultAt = this.faults[0]?.gap ?? 0;
    const port = this.carrier.asPort();
    this.surroundings = {
      database: {
        backends: base.backends,
        scheduler,
        random,
        onCommit: (executed, task) => this.committed(executed, task),
        onStatement: (name) => void (name === MOMENTS.claiming && this.executed.add(name)),
      },
      shared: { ...base.shared, now: () => this.wallClock(), carriers: { ...base.shared.carriers, simulator: port } },
      join: (id, lockedBy) => this.join(id, lockedBy),
      unlock: async (lock) =>
        void (await base.backends.look("unlock", "select pg_advisory_unlock($1::bigint)", [lock])),
      problem: (what) => this.witness.problem(what),
    };
  }

  wallClock(): Date {
    return new Date(this.base.epoch + this.scheduler.now);
  }

  /** Runs until everything is done that will ever be. */
  async run(): Promise<void> {
    await this.start("api", "api");
    for (let i = 1; i <= this.plan.workers; i++) await this.start(`worker ${i}`, "worker");
    while (this.scheduler.steps < MAX_STEPS && this.scheduler.now < MAX_DAYS * 86_400_000) {
      this.people.actAt(this.scheduler.steps, this.executed);
      this.executed.clear();
      this.runJobs();
      const action = await this.scheduler.draw();
      if (!action) {
        if (await this.passTime()) continue;
        return;
      }
      this.idle = 0;
      const isDoomed = await this.breakSomething(action);
      if (isDoomed) continue;
      if (action.task.process !== this.task.process && !(action.task.name in LOOPS)) this.hasLooked = false;
      await this.scheduler.perform(action);
      if (this.random.chance(LOOP_BEGINS)) this.beginLoop(this.random.pick(Object.keys(LOOPS)));
    }
    this.witness.problem(`no rest after ${this.scheduler.steps} steps and ${this.scheduler.now} ms`);
  }

  /** A living process of the service, if there is one that runs. */
  anyProcess(role?: "worker" | "api"): LivingProcess | undefined {
    const running = this.processes.filter(
      (process) => process.state === "running" && (role === undefined || process.role === role),
    );
    return running.length === 0 ? undefined : this.random.pick(running);
  }

  later(ms: number, what: string, run: () => void | Promise<void>): Timer {
    return this.scheduler.at(this.scheduler.now + ms, { task: this.task, what, run });
  }

  /** Has some process take in what a carrier brings, again and again until one says that it has. */
  bring(what: string, work: (ctx: Context) => Promise<void>, acknowledged: () => void): void {
    let isDone = false;
    const attempt = () => {
      const process = this.anyProcess();
      const again = this.later(WEBHOOK_AGAIN_MS + this.random.int(0, 5_000), `${what} once more`, attempt);
      if (!process) return;
      const done = () => {
        this.scheduler.cancel(again);
        if (!isDone) acknowledged();
        isDone = true;
      };
      this.scheduler.spawn(process, what, () => work(process.ctx)).then(done, (error) => process.failed(what, error));
    };
    attempt();
  }

  private bringReceipts(receipts: readonly Receipt[]): void {
    for (const { dueInMs, ...receipt } of receipts) {
      const work = (ctx: Context) => recordReceipts(ctx, this.base.tenantId, [receipt]);
      const bring = () => this.bring(`receipt ${receipt.status}`, work, () => this.witness.receiptTaken(receipt));
      this.later(dueInMs, "a receipt comes", bring);
    }
  }

  private committed(executed: readonly Executed[], task: Task): void {
    if (executed.some(({ name }) => ENQUEUES.has(name))) this.jobs.enqueue();
    for (const { name } of executed) if (name === MOMENTS.claimed) this.executed.add(name);
    this.witness.committed(executed, task);
  }

  private async start(name: string, role: LivingProcess["role"]): Promise<void> {
    const process = new LivingProcess(name, role, this.surroundings);
    if (role === "worker") await process.join();
    this.processes = [...this.processes.filter((process) => process.name !== name), process];
  }

  private async join(id: Uuid, lockedBy: string): Promise<string> {
    const { backends } = this.base;
    const lock = String(++this.locks);
    await backends.look("lock", "select pg_advisory_lock($1::bigint)", [lock]);
    const values = [id, lock, ["worker"], [lockedBy], this.wallClock()];
    const enter = "insert into nodes (id, lock_key, roles, queue_workers, started_at) values ($1, $2, $3, $4, $5)";
    await backends.look("enter", enter, values);
    return lock;
  }

  private runJobs(): void {
    const now = this.wallClock();
    const able = this.processes.filter(
      (process) => process.role === "worker" && process.state === "running" && this.jobs.mayBeAnsweredBy(process, now),
    );
    if (able.length === 0) return;
    const process = this.random.pick(able);
    this.scheduler
      .spawn(process, "jobs", () => this.jobs.answer(process))
      .catch((error) => process.failed("jobs", error));
  }

  private beginLoop(name: string): void {
    const process = this.anyProcess("worker");
    if (!process || process.loops.has(name)) return;
    process.loops.add(name);
    this.scheduler
      .spawn(process, name, () => LOOPS[name]!.work(process.ctx))
      .catch((error) => process.failed(name, error))
      .finally(() => process.loops.delete(name));
  }

  /** Nothing can happen now: the loops come round, then people act or the next thing falls due. False when all is done. */
  private async passTime(): Promise<boolean> {
    if (++this.idle > MAX_IDLE) {
      this.witness.problem("something stays due and nobody does it");
      return false;
    }
    if (!this.hasLooked) {
      this.hasLooked = true;
      this.scheduler.passTo(this.scheduler.now + this.random.int(500, 1_500));
      for (const [name, { share }] of Object.entries(LOOPS)) if (this.random.chance(share)) this.beginLoop(name);
      return true;
    }
    if (this.people.hasPlans() && this.random.chance(0.5)) {
      this.people.actNow();
      return true;
    }
    const isOver = !this.people.hasPlans() && (this.faults.length === 0 || ++this.waits > MAX_WAITS);
    if (isOver && this.calmDown()) return true;
    const [due] = await this.base.backends.look<{ at: Date | null }>("next-due", NEXT_DUE, [this.base.tenantId]);
    const { now } = this.scheduler;
    const dueAt = due!.at === null ? undefined : due!.at.getTime() - this.base.epoch;
    // What is overdue and not done is for somebody who is away, or will be looked up.
    const times = [dueAt !== undefined && dueAt > now ? dueAt : undefined, this.scheduler.nextAt()].filter(
      (time) => time !== undefined,
    );
    if (times.length === 0 && dueAt === undefined) {
      if (this.people.hasPlans()) this.people.actNow();
      else if (!this.calmDown()) return false;
      return true;
    }
    this.scheduler.passTo(times.length === 0 ? now + OVERDUE_MS : Math.max(now + 1, Math.ceil(Math.min(...times))));
    this.hasLooked = false;
    return true;
  }

  /** The faults are over, and every campaign is to come to its end. False when it was calm before. */
  private calmDown(): boolean {
    if (this.carrier.isCalm) return false;
    this.carrier.isCalm = true;
    this.faults = [];
    this.hasLooked = false;
    this.people.resumeAll();
    return true;
  }

  /** Breaks what is to be broken at this step, if it can be. True when the step will not happen now. */
  private async breakSomething({ task: { process }, what }: Action): Promise<boolean> {
    const [fault] = this.faults;
    if (!fault || this.scheduler.steps < this.nextFaultAt || !(process instanceof LivingProcess)) return false;
    if (fault.at === "commit" && what !== "commit") return false;
    if (fault.at === "handed" && !this.carrier.isAskedBy(process)) return false;
    if (fault.at === "committed" && what !== "learns of commit") return false;
    this.faults.shift();
    this.nextFaultAt = this.scheduler.steps + (this.faults[0]?.gap ?? 0);
    this.scheduler.trace(process.name, `fault: ${fault.kind}`);
    await this.inflict(fault.kind, process);
    return (process as Process).state !== "running";
  }

  private async inflict(kind: Fault["kind"], process: LivingProcess): Promise<void> {
    const session = process.pool.busy()[0];
    switch (kind) {
      case "kill":
      case "lose_machine": {
        process.die();
        this.carrier.lose(process);
        this.later(this.random.int(100, 8_000), `${process.name} starts again`, () =>
          this.start(process.name, process.role),
        );
        if (kind === "kill") await process.vanish();
        else this.later(this.random.int(0, NOTICED_WITHIN_MS), `${process.name} is missed`, () => process.vanish());
        return;
      }
      case "pause": {
        process.pause();
        const ms = this.random.pick([
          this.random.int(50, 3_000),
          this.random.int(3_000, 20_000),
          this.random.int(20_000, 90_000),
        ]);
        this.later(ms, `${process.name} goes on`, () => process.resume());
        return;
      }
      case "lose_session": {
        await process.loseLock();
        // Its network is bad: the carrier's answers are late too.
        if (this.random.chance(0.7)) this.carrier.stall(process, this.random.int(2_000, 25_000));
        return this.rejoin(process);
      }
      case "sever":
        return session?.sever();
      case "deadlock":
        return session?.loseDeadlock();
    }
  }

  private rejoin(process: LivingProcess): void {
    if (process.role !== "worker") return;
    const join = async () => {
      if (process.state === "dead" || process.hasLock()) return;
      if (process.state === "paused") this.rejoin(process);
      else await process.join();
    };
    this.later(this.random.int(1_500, 5_000), `${process.name} joins anew`, join);
  }
}
