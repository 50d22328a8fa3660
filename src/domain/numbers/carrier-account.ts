import type { Uuid } from "#domain/values/id.ts";
import type { CarrierKind } from "./carrier-kind.ts";

/** `connected`: it has been set up, and its numbers send. `problem`: the carrier takes its credentials no longer, or did not the last time. */
export type CarrierStatus = "new" | "connected" | "problem" | "suspended";

/** A tenant's account with a carrier as everybody may see it: without its credentials. */
export type CarrierRecord = {
  id: Uuid;
  /** The public id. */
  carrier: string;
  /** Null: any of the tenant's organizations may send and call by it. */
  organization_id: Uuid | null;
  kind: CarrierKind;
  name: string;
  settings: Record<string, unknown>;
  /** The public id of another tenant's account that this stands for, who runs the service and lends it; null: it is the tenant's own. */
  lent_from: string | null;
  /** Of a lent one: what the tenant may do by it. Null: no such limit; for `calls_at_once` no calls. */
  texts_per_second: number | null;
  texts_per_day: number | null;
  calls_at_once: number | null;
  status: CarrierStatus;
  problem: string | null;
  revision: number;
  last_checked_at: Date | null;
  created_at: Date;
  numbers_count: number;
};

/** Whether campaigns may begin and go on by it, and if not, why, as a sentence. */
export function notSendable({
  name,
  status,
  problem,
}: Pick<CarrierRecord, "name" | "status" | "problem">): string | undefined {
  if (status === "connected") return undefined;
  if (status === "new") return `the carrier account ${name} is not connected yet`;
  const why = problem === null ? "" : `: ${problem}`;
  return status === "suspended"
    ? `the carrier account ${name} is suspended${why}`
    : `the carrier account ${name} has a problem${why}`;
}

/** What is said of a lent account to who has it: what the carrier says to its owner may name what is the owner's. */
export function problemOfLent(status: CarrierStatus): string | null {
  if (status === "connected" || status === "new") return null;
  return status === "suspended"
    ? "The carrier has suspended it: who runs this service has to see to it"
    : "The carrier does not take its credentials: who runs this service has to see to it";
}
