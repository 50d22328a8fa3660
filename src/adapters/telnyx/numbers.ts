import { setTimeout as pause } from "node:timers/promises";
import { isObject, type JsonObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import { type CarrierNumber, CarrierProblem } from "#ports/carrier-account.ts";
import type { NumberInventory } from "#ports/number-inventory.ts";
import { dataOf, type Query, type TelnyxClient } from "./client.ts";
import { errorOf } from "./errors.ts";

/** A number of the account, with what its set-up depends on. */
export type OwnNumber = CarrierNumber & {
  profileId: string | null;
  /** The 10DLC campaign that it sends for. */
  campaignId: string | null;
  isTollFree: boolean;
};

/** The account's active numbers: the order of numbers, and messaging apart, since hosted numbers have only that. */
export async function listNumbers(client: TelnyxClient, signal: AbortSignal): Promise<OwnNumber[]> {
  const [owned, messaging] = await Promise.all([
    client.all("/phone_numbers", { "filter[status]": "active" }, signal),
    client.all("/phone_numbers/messaging", {}, signal),
  ]);
  const byPhone = new Map<string, OwnNumber>();
  for (const row of owned) {
    const phone = textIn(row.phone_number);
    if (phone === undefined) continue;
    byPhone.set(phone, {
      phone,
      capabilities: { sms: false, mms: false, voice: !/short/.test(String(row.phone_number_type)) },
      carrierId: textIn(row.id) ?? null,
      profileId: textIn(row.messaging_profile_id) ?? null,
      campaignId: textIn(row.messaging_campaign_id) ?? null,
      isTollFree: /toll/.test(String(row.phone_number_type)),
    });
  }
  for (const row of messaging) {
    const phone = textIn(row.phone_number);
    if (phone === undefined) continue;
    const features = isObject(row.features) ? row.features : {};
    const known = byPhone.get(phone);
    byPhone.set(phone, {
      phone,
      capabilities: {
        sms: isObject(features.sms),
        mms: isObject(features.mms),
        voice: known?.capabilities.voice ?? false,
      },
      carrierId: known?.carrierId ?? textIn(row.id) ?? null,
      profileId: textIn(row.messaging_profile_id) ?? known?.profileId ?? null,
      campaignId: known?.campaignId ?? null,
      isTollFree: known?.isTollFree ?? /toll/.test(String(row.type)),
    });
  }
  return [...byPhone.values()].sort((a, b) => (a.phone < b.phone ? -1 : 1));
}

/** An order is completed by Telnyx in its own time, most often in seconds. Who buys waits so long, and no longer. */
const ORDER_WITHIN_MS = 20_000;
const ORDER_EVERY_MS = 500;

/** One area code lies in one country; which, Telnyx knows better. */
const COUNTRIES = ["US", "CA"] as const;

type Parts = {
  client: TelnyxClient;
  carrier: string;
  profileId: string | undefined;
  connectionId: string | undefined;
  orderWithinMs?: number;
};

export function telnyxInventory({ client, carrier, profileId, connectionId, orderWithinMs }: Parts): NumberInventory {
  async function search(wanted: { areaCode?: string; contains?: string; limit: number }, signal: AbortSignal) {
    const found: string[] = [];
    for (const country of COUNTRIES) {
      const query: Query = {
        "filter[country_code]": country,
        "filter[national_destination_code]": wanted.areaCode,
        "filter[phone_number][contains]": wanted.contains,
        "filter[features][]": ["sms", "voice"],
        "filter[limit]": wanted.limit - found.length,
      };
      const body = await client.ask("GET", "/available_phone_numbers", { query }, signal);
      const rows = objectsIn(isObject(body) ? body.data : undefined);
      found.push(...rows.flatMap((row) => textIn(row.phone_number) ?? []));
      if (found.length >= wanted.limit) break;
    }
    return found.slice(0, wanted.limit);
  }

  const owned = async (phone: string, signal: AbortSignal): Promise<JsonObject | undefined> => {
    const rows = await client.all("/phone_numbers", { "filter[phone_number]": phone }, signal);
    return rows.find((row) => row.phone_number === phone && row.status !== "deleted");
  };

  return {
    name: carrier,
    search,
    async purchase(_tenantId, number, signal) {
      if ((await owned(number, signal))?.status === "active") return true;
      const order = (await openOrder(client, number, signal)) ?? (await placeOrder(number, signal));
      return order !== undefined && (await completed(client, order, orderWithinMs ?? ORDER_WITHIN_MS, signal));
    },
    async release(_tenantId, number, signal) {
      const id = textIn((await owned(number, signal))?.id);
      if (id === undefined) return;
      await client.ask("DELETE", `/phone_numbers/${encodeURIComponent(id)}`, {}, signal).catch((error) => {
        // Another has given it back in between.
        if (!(error instanceof CarrierProblem && error.code === "10005")) throw error;
      });
    },
  } satisfies NumberInventory;

  /** Undefined: it is not to be had. What is wrong with the account is thrown. */
  async function placeOrder(phone: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const body = {
      phone_numbers: [{ phone_number: phone }],
      customer_reference: referenceOf(phone),
      ...(profileId === undefined ? {} : { messaging_profile_id: profileId }),
      ...(connectionId === undefined ? {} : { connection_id: connectionId }),
    } satisfies OrderRequest;
    try {
      return dataOf(await client.ask("POST", "/number_orders", { body }, signal));
    } catch (error) {
      if (error instanceof CarrierProblem && isAboutTheNumber(error)) return undefined;
      throw error;
    }
  }
}

/** The body of POST /v2/number_orders, as far as we use it. */
export type OrderRequest = {
  phone_numbers: { phone_number: string }[];
  customer_reference: string;
  messaging_profile_id?: string;
  connection_id?: string;
};

/** By it an order is found again whose answer was lost: a number is never ordered twice. */
const referenceOf = (phone: string): string => `parley ${phone}`;

async function openOrder(client: TelnyxClient, phone: string, signal: AbortSignal): Promise<JsonObject | undefined> {
  const orders = await client.all("/number_orders", { "filter[customer_reference]": referenceOf(phone) }, signal);
  return orders.find((order) => order.customer_reference === referenceOf(phone) && order.status === "pending");
}

/** Refused with a code of its own that is not about keys, funds or rates: another number may be had. */
function isAboutTheNumber({ code }: CarrierProblem): boolean {
  const { class: kind } = errorOf(code);
  return /^\d{5,}$/.test(code) && (kind === "refused" || kind === "stop_number");
}

async function completed(
  client: TelnyxClient,
  order: JsonObject,
  withinMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const id = textIn(order.id);
  if (id === undefined)
    throw new CarrierProblem("Telnyx's answer to the order has no id.", { code: "malformed_answer" });
  const until = performance.now() + withinMs;
  for (let state = order; ; ) {
    if (state.status === "success") return true;
    if (state.status === "failure") return false;
    if (performance.now() > until) throw pending(withinMs);
    await pause(ORDER_EVERY_MS, undefined, { signal });
    state = dataOf(await client.ask("GET", `/number_orders/${encodeURIComponent(id)}`, {}, signal));
  }
}

const pending = (withinMs: number): CarrierProblem =>
  new CarrierProblem(
    `Telnyx has taken the order and has not completed it within ${withinMs / 1000} seconds. The number comes to this account when it has.`,
    { code: "order_pending", remedy: "Repeat the request in a minute: it goes on with the same order." },
  );
