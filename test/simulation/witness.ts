import type { DeliveryReceipt } from "#ports/sms-carrier.ts";
import type { HandedOver } from "./carrier.ts";
import type { Word } from "./plan.ts";
import type { Scheduler, Task } from "./scheduler.ts";
import type { Executed } from "./sessions.ts";

/** A text of a contact that the service has said it has. */
export type Acknowledged = { carrierId: string; phone: string; word: Word; number: number; sentAt: Date };

/** Sees what happens while it happens, and says at once what must never happen. */
export class Witness {
  readonly problems: string[] = [];
  readonly handed: HandedOver[] = [];
  readonly inbound: Acknowledged[] = [];
  readonly receipts: DeliveryReceipt[] = [];
  /** Phones whose opt-out is committed, those whose ever was, and each change of it in the order of the commits. */
  readonly optedOut = new Set<string>();
  readonly everOut = new Set<string>();
  readonly changes: string[] = [];
  /** Attempts that were committed, by phone; and for an opted-out phone those that were before its opt-out and may still leave. */
  private readonly claimed = new Map<string, Set<string>>();
  private readonly mayLeave = new Map<string, ReadonlySet<string>>();
  /** Phones that were opted out by something else than their own words. */
  readonly optedOutByOthers = new Set<string>();
  /** Campaigns that the tenant has asked to delete, whatever the answer was. */
  readonly doomed = new Set<string>();
  private readonly paused = new Set<string>();
  private readonly deleted = new Set<string>();
  private readonly scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  problem(what: string): void {
    this.problems.push(`#${this.scheduler.steps} ${what}`);
    this.scheduler.trace("problem", what);
  }

  committed(executed: readonly Executed[], { process, name }: Task): void {
    for (const { name: statement, values } of executed) {
      if (statement === "claim-start-attempts") {
        const [phones, refs] = [phonesIn(statement, values[3]), values[6] as string[]];
        for (const [i, ref] of refs.entries()) {
          this.claimed.set(phones[i]!, (this.claimed.get(phones[i]!) ?? new Set()).add(ref));
        }
      }
      if (statement === "set-opt-out") {
        for (const phone of phonesIn(statement, values[1])) this.isOut(phone, values[3] as string);
        this.scheduler.trace(process.name, `${name}: ${values[1]} is opted out`);
      } else if (statement === "clear-opt-out") {
        const [phone] = phonesIn(statement, [values[1]]);
        if (this.optedOut.delete(phone!)) this.changes.push(`${phone} in`);
        this.scheduler.trace(process.name, `${name}: ${phone} is opted in`);
      }
    }
  }

  private isOut(phone: string, source: string): void {
    if (!this.optedOut.has(phone)) {
      this.changes.push(`${phone} out`);
      this.mayLeave.set(phone, new Set(this.claimed.get(phone)));
    }
    this.optedOut.add(phone);
    this.everOut.add(phone);
    if (source !== "keyword" && source !== "free_text") this.optedOutByOthers.add(phone);
  }

  handedOver(handOver: HandedOver): void {
    const { to, purpose, campaign, ref } = handOver.text;
    this.handed.push(handOver);
    this.scheduler.trace(
      handOver.process.name,
      `hands over ${purpose} ${handOver.text.step} of ${campaign} to ${to}, ${ref}`,
    );
    const isAnswer = purpose === "confirmation" || purpose === "help";
    if (this.optedOut.has(to) && !isAnswer && !this.mayLeave.get(to)?.has(ref))
      this.problem(`a ${purpose} to ${to} after its opt-out`);
    const isOfCampaign = purpose === "start" || purpose === "drip" || purpose === "reply";
    const isStopped = this.paused.has(campaign) || this.deleted.has(campaign);
    if (isStopped && isOfCampaign) this.problem(`a ${purpose} to ${to} of ${campaign}, which is stopped`);
  }

  /** The tenant got the answer that the campaign is paused or deleted. */
  mustStop(campaign: string, how: "pause" | "delete"): void {
    (how === "pause" ? this.paused : this.deleted).add(campaign);
  }

  /** The tenant has asked to go on. */
  mayGoOn(campaign: string): void {
    this.paused.delete(campaign);
  }

  acknowledged(text: Acknowledged): void {
    // Whatever was on its way has left, or never will.
    if (text.word === "stop" && this.optedOut.has(text.phone)) this.mayLeave.delete(text.phone);
    if (!this.inbound.some(({ carrierId }) => carrierId === text.carrierId)) this.inbound.push(text);
  }

  receiptTaken(receipt: DeliveryReceipt): void {
    this.receipts.push(receipt);
  }
}

/** The phones among a statement's values. Throws where the statement has other values now: the witness would see nothing, and find nothing. */
function phonesIn(statement: string, value: unknown): string[] {
  const isPhones = Array.isArray(value) && value.every((phone) => typeof phone === "string" && phone.startsWith("+"));
  if (!isPhones) throw new Error(`The statement ${statement} has no phones where the witness reads them`);
  return value;
}
