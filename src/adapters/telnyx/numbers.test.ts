import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { addNumber } from "#test/support/carriers/telnyx/account.ts";
import { anAccount, NUMBER, open, TENANT } from "#test/support/carriers/telnyx/opened.ts";
import { completeOrder } from "#test/support/carriers/telnyx/resources.ts";

const signal = new AbortController().signal;
const STOCK = ["+15125550001", "+15125550002", "+15125557777", "+14165550001"];
const NEW = STOCK[0]!;
const CAN = { capabilities: { sms: true, mms: true, voice: true } };

async function withStock(t: Parameters<typeof anAccount>[0], settings: Record<string, unknown> = {}) {
  const account = await anAccount(t, settings);
  account.server.account.stock.push(...STOCK);
  return account;
}

test("all numbers of an account are listed with what they can, over all pages", async (t) => {
  const { server, opened } = await anAccount(t);
  for (let i = 0; i < 600; i++)
    addNumber(server.account, `+1212555${2_000 + i}`, { features: { sms: null, mms: null } });
  addNumber(server.account, "+18005550100");
  addNumber(server.account, "+12125559999", { status: "purchase-pending", features: { sms: null, mms: null } });
  const numbers = await opened.numbers(signal);
  assert.equal(numbers.length, 603);
  assert.deepEqual(numbers[0], {
    phone: NUMBER,
    capabilities: { sms: true, mms: true, voice: true },
    carrierId: server.account.numbers[0]!.id,
  });
  assert.deepEqual(numbers.find(({ phone }) => phone === "+12125552599")!.capabilities, {
    sms: false,
    mms: false,
    voice: true,
  });
  assert.deepEqual(numbers.find(({ phone }) => phone === "+18005550100")!.capabilities, {
    sms: true,
    mms: true,
    voice: true,
  });
});

test("numbers are searched for by area code and digits, in the US and in Canada", async (t) => {
  const { opened } = await withStock(t);
  const search = (wanted: { areaCode?: string; contains?: string; limit?: number }) =>
    opened.inventory!.search({ limit: 10, ...wanted }, signal);
  assert.deepEqual(await search({ areaCode: "512" }), STOCK.slice(0, 3));
  assert.deepEqual(await search({ areaCode: "512", limit: 2 }), STOCK.slice(0, 2));
  assert.deepEqual(await search({ areaCode: "416" }), ["+14165550001"]);
  assert.deepEqual(await search({ contains: "7777" }), ["+15125557777"]);
  assert.deepEqual(await search({}), STOCK);
  assert.deepEqual(await search({ areaCode: "867" }), []);
});

test("a number that was ordered is waited for, and comes onto the profile and the connection", async (t) => {
  const { server, profile } = await withStock(t);
  const opened = open(server, { messaging_profile_id: profile.id, connection_id: "12345" });
  t.after(() => opened.close());
  assert.deepEqual(await opened.inventory!.purchase(TENANT, NEW, signal), CAN);
  const number = server.account.numbers.find((one) => one.phone_number === NEW)!;
  assert.deepEqual([number.messaging_profile_id, number.connection_id], [profile.id, "12345"]);
  assert.deepEqual(await opened.inventory!.purchase(TENANT, NEW, signal), CAN, "it is the account's already");
  assert.equal(server.account.orders.length, 1);
});

test("a number that is gone, or whose order fails, is not to be had", async (t) => {
  const { server, opened } = await withStock(t);
  assert.equal(await opened.inventory!.purchase(TENANT, "+15125559999", signal), undefined);
  server.account.orderReads = null;
  const asked = opened.inventory!.purchase(TENANT, NEW, signal);
  while (server.account.orders.length === 0) await new Promise(setImmediate);
  completeOrder(server.account, server.account.orders[0]!.id, "failure");
  assert.equal(await asked, undefined);
});

test("an order that is not completed in time says so, and the next request goes on with it", async (t) => {
  const { server, opened } = await withStock(t);
  server.account.orderReads = null;
  await assert.rejects(opened.inventory!.purchase(TENANT, NEW, signal), {
    name: "CarrierProblem",
    code: "order_pending",
    message: /has not completed it within 2 seconds/,
  });
  server.account.orderReads = 0;
  assert.deepEqual(await opened.inventory!.purchase(TENANT, NEW, signal), CAN);
  assert.equal(server.account.orders.length, 1, "nothing was ordered twice");
});

test("a completed order whose number is not listed yet is not ordered again; one whose order is old is", async (t) => {
  const { server, opened } = await withStock(t);
  const { account } = server;
  await opened.inventory!.purchase(TENANT, NEW, signal);
  account.numbers = account.numbers.filter((one) => one.phone_number !== NEW);
  account.stock.push(NEW);
  const again = () => opened.inventory!.purchase(TENANT, NEW, signal);
  await assert.rejects(again(), { code: "order_pending", isUndecided: true });
  assert.equal(await opened.inventory!.find!(TENANT, NEW, signal), "under_way");
  assert.equal(account.orders.length, 1);
  account.orders[0]!.created_at = new Date(Date.now() - 2 * 60 * 60_000).toISOString();
  assert.equal(await opened.inventory!.find!(TENANT, NEW, signal), undefined);
  assert.deepEqual(await again(), CAN, "it was given back since");
  assert.equal(account.orders.length, 2);
});

test("a number that is refused since it is the account's own is kept", async (t) => {
  const { server, opened } = await withStock(t);
  const number = addNumber(server.account, NEW);
  server.account.stock = [];
  server.next(/^GET \/v2\/phone_numbers$/, { say: { data: [] } });
  assert.deepEqual(await opened.inventory!.purchase(TENANT, NEW, signal), CAN);
  number.status = "purchase-pending";
  server.next(/^GET \/v2\/phone_numbers$/, { say: { data: [] } });
  await assert.rejects(opened.inventory!.purchase(TENANT, NEW, signal), { code: "order_pending" });
});

test("a key that may not do this is not a key that is refused, but where it may not do the first thing that texts need", async (t) => {
  const { server, opened } = await withStock(t);
  server.next(/available_phone_numbers/, { refuse: "10010", status: 403 });
  await assert.rejects(opened.inventory!.search({ limit: 1 }, signal), { code: "10010", account: undefined });
  server.next(/^GET \/v2\/messaging_profiles/, { refuse: "10010", status: 403 });
  const [check] = await opened.check({ base: undefined }, {}, signal);
  assert.deepEqual([check!.name, check!.ok, check!.account], ["credentials", false, "refused"]);
});

test("what is wrong with the account is said, and is not a number that is not to be had", async (t) => {
  const { server, opened } = await withStock(t);
  server.changeKey("KEYanother");
  await assert.rejects(opened.inventory!.purchase(TENANT, NEW, signal), {
    name: "CarrierProblem",
    code: "10009",
    account: "refused",
    message: "Telnyx refuses this: Telnyx does not take the API key (10009).",
  });
  await assert.rejects(opened.numbers(signal), { name: "CarrierProblem", account: "refused" });
  await server.close();
  await assert.rejects(opened.numbers(signal), {
    name: "CarrierProblem",
    account: undefined,
    message: /did not answer/,
  });
});

test("a number is given back once, and giving it back again changes nothing", async (t) => {
  const { server, opened } = await anAccount(t);
  await opened.inventory!.release(TENANT, NUMBER, signal);
  await opened.inventory!.release(TENANT, NUMBER, signal);
  await opened.inventory!.release(TENANT, "+15125550000", signal);
  assert.deepEqual(server.account.numbers, []);
  assert.equal(server.requests.filter((request) => request.startsWith("DELETE")).length, 1);
});

test("an answer without its list is no empty list: the account's numbers are not taken for gone", async (t) => {
  const server = createServer((_, response) => response.end('{"status":"maintenance"}')).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const account = await anAccount(t);
  const opened = open({ ...account.server, url });
  t.after(() => {
    void opened.close();
    server.closeAllConnections();
    server.close();
  });
  await assert.rejects(opened.numbers(signal), { name: "CarrierProblem", code: "invalid_answer" });
});
