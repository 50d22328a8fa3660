import assert from "node:assert/strict";
import { test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import { processState } from "#operations/process-state.ts";
import type { SmsCarrier } from "#ports/sms-carrier.ts";
import { doubtOf } from "./doubt.ts";

const TENANT = "01900000-0000-7000-8000-000000000001" as Uuid;
const [LANE, OTHER] = ["l1", "l2"] as unknown as [Uuid, Uuid];
const lane = (laneId = LANE) => ({ tenantId: TENANT, laneId });
const carrier = (name: string, mostClaimed?: number) =>
  ({ name, capabilities: { lookupByRef: mostClaimed === undefined, mostClaimed } }) as unknown as SmsCarrier;

test("a carrier that can be asked has no limit, and others share none of theirs", () => {
  const state = processState();
  assert.equal(doubtOf(state, lane()).take(carrier("asked"), 500), 500);
  assert.equal(doubtOf(state, lane()).take(carrier("first", 100), 500), 100);
  assert.equal(doubtOf(state, lane()).take(carrier("second", 100), 500), 100);
  assert.equal(state.inDoubt.size, 2);
});

test("batches of one account never have more in doubt than it allows, each leaves room for another's while others want some, and all of it comes back", () => {
  const state = processState();
  const account = carrier("gateway", 100);
  let ms = 0;
  const of = (laneId: Uuid) => doubtOf(state, lane(laneId), () => ms);
  of(OTHER).take(account, 0);
  const batches = Array.from({ length: 40 }, () => of(LANE));
  const taken = batches.map((one) => one.take(account, 500));
  assert.deepEqual(taken.slice(0, 8), [50, 25, 13, 6, 3, 2, 1, 0]);
  assert.equal(batches[7]!.isFull(), true);
  batches[0]!.keep(20);
  assert.equal(of(LANE).take(account, 10), 10);
  for (const one of batches) one.keep(0);
  assert.deepEqual([...state.inDoubt.values()], [10]);
  // The other comes back no more.
  ms = 3_001;
  assert.equal(of(LANE).take(account, 500), 90);
  assert.equal(of(OTHER).take(account, 500), 0, "it has wanted some from now on");
});

test("a claim that is tried again takes anew", () => {
  const state = processState();
  const batch = doubtOf(state, lane());
  batch.take(carrier("gateway", 100), 30);
  assert.equal(batch.take(carrier("gateway", 100), 40), 40);
  batch.keep(0);
  assert.equal(state.inDoubt.size, 0);
});
