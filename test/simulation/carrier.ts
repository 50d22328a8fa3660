import type { Uuid } from "#domain/values/id.ts";
import type {
  DeliveryReceipt,
  OutgoingText,
  SendOutcome,
  SmsBatch,
  SmsCapabilities,
  SmsCarrier,
} from "#ports/sms-carrier.ts";
import type { Plan } from "./plan.ts";
import type { Random } from "./random.ts";
import { currentTask, type Process, type Scheduler, type Task, type Timer } from "./scheduler.ts";

/** A text that has left a process for the carrier. */
export type HandedOver = { text: OutgoingText; batch: SmsBatch; process: Process; at: number };
export type Receipt = DeliveryReceipt & { dueInMs: number };

/** The settings of the network around the carrier. */
export type Events = {
  handedOver(handOver: HandedOver): void;
  receipts(receipts: readonly Receipt[]): void;
};

/** A carrier's answer takes this long at most; then the connection is given up. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often a connection has to be made before anything can be written, and how long that may take. */
const CONNECTS = 0.3;
const CONNECT_MS = 4_000;
/** What a look-up after `settleMs` has to know about. */
const TAKEN_WITHIN_MS = 1_500;
const SETTLE_MS = 2_000;

const CAPABILITIES: Record<Plan["carrier"], Pick<SmsCapabilities, "lookupByRef" | "callbackCarriesRef">> = {
  looks_up: { lookupByRef: true, callbackCarriesRef: true },
  calls_back: { lookupByRef: false, callbackCarriesRef: true },
  mute: { lookupByRef: false, callbackCarriesRef: false },
};

type Fate = { isTaken: boolean; outcome: SendOutcome };
type OnTheWay = { process: Process; timer: Timer; at: number; isLostWithIt: boolean };

/** The carrier and its records. It keeps everything, accepts the same text twice, and loses answers. */
export class FaultyCarrier {
  /** What handsets got, in the order in which it was taken. */
  readonly storeEnd: OutgoingText[] = [];
  /** What became of it, as far as that was or will be reported. */
  readonly reported: Receipt[] = [];
  /** From now on every request succeeds. */
  isCalm = false;
  takesTwice = false;
  private readonly taken = new Set<Uuid>();
  private readonly plan: Plan;
  private readonly random: Random;
  private readonly scheduler: Scheduler;
  private readonly world: Task;
  private readonly events: Events;
  private onTheWay: OnTheWay[] = [];
  private answers: { process: Process; timer: Timer }[] = [];

  constructor(plan: Plan, random: Random, world: Task, events: Events) {
    this.plan = plan;
    this.random = random;
    this.scheduler = world.scheduler;
    this.world = world;
    this.events = events;
  }

  /** The port that the service sees. */
  asPort(): SmsCarrier {
    return {
      name: "simulator",
      capabilities: {
        ...CAPABILITIES[this.plan.carrier],
        settleMs: SETTLE_MS,
        callbackWithinMs: 600_000,
        defaultRatePerSecond: this.plan.ratePerSecond ?? undefined,
      },
      mayUseSender: async () => true,
      send: (batch) => this.send(batch),
      lookUp: async (_tenantId, attempts) => {
        await this.answerIn(this.random.int(5, 800), "looks up");
        if (!this.isCalm && this.random.chance(0.05)) throw new Error("the carrier's look-up is away");
        return new Map(
          attempts.filter(({ ref }) => this.taken.has(ref)).map(({ ref }) => [ref, { carrierId: `c_${ref}` }]),
        );
      },
    };
  }

  /** What a dying process had written into its socket a moment ago may never have left the machine. */
  lose(process: Process): void {
    for (const { timer } of this.onTheWay.filter((item) => item.process === process && item.isLostWithIt)) {
      this.scheduler.cancel(timer);
    }
    this.onTheWay = this.onTheWay.filter((item) => item.process !== process);
  }

  /** Whether it has still to answer to a process. */
  isAskedBy(process: Process): boolean {
    return this.answers.some((answer) => answer.process === process && answer.timer.at > this.scheduler.now);
  }

  /** What it has to answer to a process comes later. */
  stall(process: Process, ms: number): void {
    for (const { timer } of this.answers.filter((answer) => answer.process === process)) timer.at += ms;
  }

  private async send(batch: SmsBatch): Promise<SendOutcome[]> {
    const { process } = currentTask()!;
    if (this.random.chance(CONNECTS)) await this.answerIn(this.random.int(1, CONNECT_MS), "is connected to");
    if (!batch.mayLeave()) return batch.texts.map(() => ({ outcome: "not_sent", code: "held_up", retryAfterMs: 0 }));
    for (const text of batch.texts) this.events.handedOver({ text, batch, process, at: this.scheduler.now });
    const replyMs = this.isCalm || this.random.chance(0.85) ? this.random.int(1, 400) : this.random.int(400, 45_000);
    const fates = batch.texts.map((text) => this.fateOf(text));
    for (const [i, { isTaken }] of fates.entries()) if (isTaken) this.takeLater(batch.texts[i]!, process, replyMs);
    const isGivenUp = replyMs >= REQUEST_TIMEOUT_MS;
    await this.answerIn(Math.min(replyMs, REQUEST_TIMEOUT_MS), isGivenUp ? "no answer" : "answers");
    if (isGivenUp) return batch.texts.map(() => ({ outcome: "uncertain", code: "timeout" }));
    if (!this.isCalm && this.random.chance(0.02)) throw new Error("the carrier's answer makes no sense");
    return fates.map(({ outcome }) => outcome);
  }

  private fateOf({ ref }: OutgoingText): Fate {
    const accepted: SendOutcome = { outcome: "accepted", carrierId: `c_${ref}` };
    const draw = this.isCalm ? 0 : this.random.next();
    if (draw < 0.76) return { isTaken: true, outcome: accepted };
    if (draw < 0.84) return { isTaken: true, outcome: { outcome: "uncertain", code: "reply_lost" } };
    if (draw < 0.91) return { isTaken: false, outcome: { outcome: "uncertain", code: "reset" } };
    if (draw < 0.97)
      return { isTaken: false, outcome: { outcome: "not_sent", code: "429", retryAfterMs: this.random.int(0, 5_000) } };
    return { isTaken: false, outcome: { outcome: "rejected", code: "30007", optedOut: this.random.chance(0.3) } };
  }

  private takeLater(text: OutgoingText, process: Process, replyMs: number): void {
    const at = this.scheduler.now + this.random.int(0, Math.min(replyMs, TAKEN_WITHIN_MS));
    const run = () => this.take(text);
    const timer = this.scheduler.at(at, { task: this.world, what: `a text to ${text.to} is taken`, run }, "punctual");
    this.onTheWay = this.onTheWay.filter((item) => item.at > this.scheduler.now);
    this.onTheWay.push({ process, timer, at, isLostWithIt: this.random.chance(0.5) });
  }

  private take(text: OutgoingText): void {
    this.storeEnd.push(text, ...(this.takesTwice ? [text] : []));
    this.taken.add(text.ref);
    this.scheduler.trace("carrier", `takes ${text.purpose} ${text.step} of ${text.campaign} to ${text.to}`);
    const status = this.random.pick(["delivered", "delivered", "delivered", "undelivered", "failed"] as const);
    const said = [{ status: "sent" as const }, { status, ...(status === "delivered" ? {} : { errorCode: "30003" }) }];
    const receipts = said.flatMap((report) => {
      const times = this.isCalm ? 1 : this.random.pick([0, 1, 1, 1, 1, 2]);
      return Array.from({ length: times }, (): Receipt => {
        const dueInMs = this.random.chance(0.8) ? this.random.int(0, 3_000) : this.random.int(0, 900_000);
        return { ref: text.ref, carrierId: `c_${text.ref}`, ...report, dueInMs };
      });
    });
    this.reported.push(...receipts);
    this.events.receipts(receipts);
  }

  private answerIn(ms: number, what: string): Promise<void> {
    const task = currentTask()!;
    const at = this.scheduler.now + ms;
    this.answers = this.answers.filter(({ timer }) => timer.at > this.scheduler.now);
    return new Promise((resolve) => {
      const timer = this.scheduler.at(at, { task, what: `the carrier ${what}`, run: resolve });
      this.answers.push({ process: task.process, timer });
    });
  }
}
