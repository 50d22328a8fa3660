import assert from "node:assert/strict";
import { test } from "node:test";
import type { TrunkStore } from "#ports/number-inventory.ts";
import { trunkNumbers } from "./numbers.ts";

const signal = new AbortController().signal;

function store(): TrunkStore {
  const owners = new Map<string, string>();
  return {
    take: async (_carrier, phone, tenantId) => {
      if ((owners.get(phone) ?? tenantId) !== tenantId) return false;
      owners.set(phone, tenantId);
      return true;
    },
    giveBack: async (_carrier, phone, tenantId) => {
      if (owners.get(phone) === tenantId) owners.delete(phone);
    },
    owners: async (_carrier, phones) => new Map([...owners].filter(([phone]) => phones.includes(phone))),
  };
}

test("a trunk's number is one tenant's until it is given back, and nobody else sees it", async () => {
  const numbers = trunkNumbers("sip:acme", ["+12125550100", "+12125550101", "+13055550100"], store());
  assert.deepEqual(await numbers.search({ areaCode: "212", limit: 10 }, signal), ["+12125550100", "+12125550101"]);
  assert.equal((await numbers.purchase("a", "+12125550100", signal)) !== undefined, true);
  assert.equal((await numbers.purchase("a", "+12125550100", signal)) !== undefined, true, "again");
  assert.equal(await numbers.purchase("b", "+12125550100", signal), undefined);
  assert.deepEqual(await numbers.search({ areaCode: "212", limit: 10 }, signal), ["+12125550101"]);
  await numbers.release("b", "+12125550100", signal);
  assert.equal(
    await numbers.purchase("b", "+12125550100", signal),
    undefined,
    "who does not have it cannot give it back",
  );
  await numbers.release("a", "+12125550100", signal);
  assert.equal((await numbers.purchase("b", "+12125550100", signal)) !== undefined, true);
});

test("a number that is not the trunk's is not to be had", async () => {
  const numbers = trunkNumbers("sip:acme", ["+12125550100"], store());
  assert.equal(await numbers.purchase("a", "+12125550199", signal), undefined);
  assert.deepEqual(await numbers.search({ contains: "0100", limit: 10 }, signal), ["+12125550100"]);
  assert.deepEqual(await numbers.search({ contains: "999", limit: 10 }, signal), []);
});
