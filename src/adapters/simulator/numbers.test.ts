import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { numberPlan } from "#domain/phones/number-plan.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { simulatedNumbers } from "./numbers.ts";

const data = (name: string) => readFileSync(new URL(`../../../data/${name}`, import.meta.url), "utf8");
const plan = numberPlan(data("area-codes.csv"), data("exchange-time-zones.csv"));
const inventory = simulatedNumbers(plan);
const signal = new AbortController().signal;
const TENANT = "01900000-0000-7000-8000-000000000001";

test("every number that is offered is one that may be called from, and none is offered twice", async () => {
  const all = await inventory.search({ limit: 1_000_000 }, signal);
  assert.ok(all.length > 100_000);
  assert.equal(new Set(all).size, all.length);
  assert.deepEqual(
    all.filter((number) => !("phone" in normalizePhone(number)) || number.slice(5, 8) === "555"),
    [],
  );
});

test("an area code's numbers are the same every time, and are its own", async () => {
  const [once, again] = await Promise.all([1, 2].map(() => inventory.search({ areaCode: "604", limit: 20 }, signal)));
  assert.deepEqual(once, again);
  assert.equal(once!.length, 20);
  assert.ok(once!.every((number) => number.startsWith("+1604")));
});

test("numbers are found by digits that are in them, the country's not among them", async () => {
  const found = await inventory.search({ areaCode: "212", contains: "77", limit: 500 }, signal);
  assert.ok(found.length > 0 && found.every((number) => number.slice(2).includes("77")));
  assert.deepEqual(await inventory.search({ areaCode: "212", contains: "1212", limit: 5 }, signal), []);
});

test("an area code that is sold out, and one that is none, have no numbers", async () => {
  assert.deepEqual(await inventory.search({ areaCode: "867", limit: 5 }, signal), []);
  assert.deepEqual(await inventory.search({ areaCode: "555", limit: 5 }, signal), []);
});

test("what is in stock can be bought, and nothing else", async () => {
  const [number] = await inventory.search({ areaCode: "212", limit: 1 }, signal);
  assert.equal((await inventory.purchase(TENANT, number!, signal)) !== undefined, true);
  for (const other of ["+12125550100", "+15552345678", "+18675550100"]) {
    assert.equal(await inventory.purchase(TENANT, other, signal), undefined, other);
  }
});
