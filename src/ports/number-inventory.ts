import type { Uuid } from "#domain/id.ts";

/** Where phone numbers come from: a carrier's stock. */
export interface NumberInventory {
  readonly name: string;
  /** Numbers that could be had, E.164. Empty when there are none. */
  search(wanted: { areaCode?: string; contains?: string; limit: number }, signal: AbortSignal): Promise<string[]>;
  /** Takes a number for the tenant; false when it is not to be had (any more). Safe to repeat: a number that is the tenant's already is taken again. */
  purchase(tenantId: Uuid, number: string, signal: AbortSignal): Promise<boolean>;
  /** Gives it back. Safe to repeat. */
  release(tenantId: Uuid, number: string, signal: AbortSignal): Promise<void>;
}
