import { setTimeout as pause } from "node:timers/promises";
import { isObject, type JsonObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import { type CarrierNumber, CarrierProblem } from "#ports/carrier-account.ts";
import type { Bought, NumberInventory } from "#ports/number-inventory.ts";
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
  /** The messaging profile that texts of new numbers go by; undefined where none can be chosen. */
  profileOf(signal: AbortSignal): Promise<string | undefined>;
  connectionId: string | undefined;
  orderWithinMs?: number;
};

export function telnyxInventory({ client, carrier, profileOf, connectionId, orderWithinMs }: Parts): NumberInventory {
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
      const before = await owned(number, signal);
      if (before?.status === "active") return settled(before, signal);
      const order =
        (await openOrder(client, number, signal)) ?? (before ? undefined : await placeOrder(number, signal));
      if (order === undefined) {
        if (before) throw pending();
        // Not to be had: perhaps since it is the account's, by another request or one whose answer is lost.
        const row = await owned(number, signal);
        if (row && row.status !== "active") throw pending();
        return row && settled(row, signal);
      }
      try {
        if (!(await completed(client, order, orderWithinMs ?? ORDER_WITHIN_MS, signal))) return undefined;
        const after = await owned(number, signal);
        // Ordered and paid for; the list of numbers may be some seconds behind.
        if (after === undefined) throw pending();
        return await settled(after, signal);
      } catch (error) {
        throw error instanceof CarrierProblem && !error.isUndecided ? pending() : error;
      }
    },
    async find(_tenantId, number, signal) {
      const row = await owned(number, signal);
      if (row?.status === "active") return settled(row, signal);
      return row || (await openOrder(client, number, signal)) ? "under_way" : undefined;
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

  /** Puts a new number onto the profile where the order has not, and says what it can do. */
  async function settled(row: JsonObject, signal: AbortSignal): Promise<Bought> {
    const [id, profileId] = [textIn(row.id), textIn(row.messaging_profile_id)];
    const voice = !/short/.test(String(row.phone_number_type));
    if (id === undefined) return { capabilities: { sms: false, mms: false, voice } };
    const path = `/phone_numbers/${encodeURIComponent(id)}/messaging`;
    const { features } = dataOf(await client.ask("GET", path, {}, signal));
    const can = isObject(features) ? features : {};
    const capabilities = { sms: isObject(can.sms), mms: isObject(can.mms), voice };
    const wanted = capabilities.sms && profileId === undefined ? await profileOf(signal) : undefined;
    // The number is bought all the same; connecting the account puts it onto the profile too.
    if (wanted !== undefined)
      await client.ask("PATCH", path, { body: { messaging_profile_id: wanted } }, signal).catch(orThrow);
    return { capabilities };
  }

  /** Undefined: it is not to be had. What is wrong with the account is thrown. */
  async function placeOrder(phone: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const profileId = await profileOf(signal);
    const body = {
      phone_numbers: [{ phone_number: phone }],
      customer_reference: referenceOf(phone),
      ...(profileId === undefined ? {} : { messaging_profile_id: profileId }),
      ...(connectionId === undefined ? {} : { connection_id: connectionId }),
    } satisfies OrderRequest;
    try {
      return dataOf(await client.ask("POST", "/number_orders", { body }, signal));
    } catch (error) {
      if (!(error instanceof CarrierProblem)) throw error;
      if (isAboutTheNumber(error)) return undefined;
      if (!error.isUndecided) throw error;
      // It may have been ordered all the same: the account's orders and numbers say so.
      const order = await openOrder(client, phone, signal).catch(orThrow);
      if (order) return order;
      if (await owned(phone, signal).catch(orThrow)) return { id: referenceOf(phone), status: "success" };
      throw new CarrierProblem("Telnyx did not say whether the number was ordered.", {
        code: error.code,
        isUndecided: true,
      });
    }
  }
}

/** Leaves aside what Telnyx does not answer. */
function orThrow(error: unknown): undefined {
  if (error instanceof CarrierProblem) return undefined;
  throw error;
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

/** The list of numbers may be behind its orders by less than this. An order that is older has become a number, which may have been given back. */
const LISTED_WITHIN_MS = 60 * 60_000;

/** An order that Telnyx has yet to complete, or whose number is yet to be listed. */
async function openOrder(client: TelnyxClient, phone: string, signal: AbortSignal): Promise<JsonObject | undefined> {
  const orders = await client.all("/number_orders", { "filter[customer_reference]": referenceOf(phone) }, signal);
  const ours = orders.filter((order) => order.customer_reference === referenceOf(phone));
  const since = Date.now() - LISTED_WITHIN_MS;
  return (
    ours.find(({ status }) => status === "pending") ??
    ours.find(({ status, created_at: at }) => status !== "failure" && Date.parse(String(at)) > since)
  );
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

const pending = (withinMs?: number): CarrierProblem =>
  new CarrierProblem(
    `Telnyx has taken the order and has not completed it ${withinMs === undefined ? "yet" : `within ${withinMs / 1000} seconds`}: the number comes by itself when it has.`,
    { code: "order_pending", isUndecided: true },
  );
