import type { Uuid } from "#domain/values/id.ts";
import type { LineUser } from "./call-line.ts";

/** What a number can do. */
export type Capabilities = { sms: boolean; mms: boolean; voice: boolean };

/** A number that was bought. Without capabilities it can do what every number of its stock can. */
export type Bought = { capabilities?: Capabilities };

/** Where phone numbers come from: a carrier's stock. */
export interface NumberInventory {
  readonly name: string;
  /** Numbers that could be had, E.164, the tenant's own perhaps among them. `contains` are digits. Empty when there are none. */
  search(wanted: { areaCode?: string; contains?: string; limit: number }, signal: AbortSignal): Promise<string[]>;
  /**
   * Takes a number for the tenant, set up so that it can be used at once; undefined when it is not to be had (any more). Safe to repeat: a number that
   * is the tenant's already is taken again.
   */
  purchase(tenantId: Uuid, number: string, signal: AbortSignal): Promise<Bought | undefined>;
  /**
   * What became of a purchase that was not answered for certain, or not in time: it buys nothing. Undefined: the carrier has no such number and no
   * order of it. Of a stock whose purchases are certain at once there is none.
   */
  find?(tenantId: Uuid, number: string, signal: AbortSignal): Promise<Bought | "under_way" | undefined>;
  /** Gives it back. Safe to repeat. */
  release(tenantId: Uuid, number: string, signal: AbortSignal): Promise<void>;
}

/** Where a tenant's numbers come from. */
export type NumberInventories = {
  /** All that a tenant can buy from, in the order in which they are asked; none where no carrier of numbers is configured. */
  forTenant(user: LineUser): NumberInventory[];
  byName(name: string): NumberInventory | undefined;
};

/** Which tenant has which number of a carrier's stock that all tenants share. A number has one owner at most. */
export interface TrunkStore {
  /** False when it is another's. Safe to repeat. */
  take(carrier: string, phone: string, tenantId: Uuid): Promise<boolean>;
  giveBack(carrier: string, phone: string, tenantId: Uuid): Promise<void>;
  /** Owners of those that have one. */
  owners(carrier: string, phones: readonly string[]): Promise<Map<string, Uuid>>;
}
