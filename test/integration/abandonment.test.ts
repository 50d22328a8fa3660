import assert from "node:assert/strict";
import { test } from "node:test";
import { aCalling, aLine, drain, phone } from "../support/calling.ts";

/** 47 CFR 64.1200(a)(7): two are 3 % of as many. */
const MAKE_UP_FOR_TWO = 67;
const AT_ONCE = 4;
/** For the calls that a slow drain places after the hold, and those of the last one. */
const BEYOND = 6 * AT_ONCE;

test("a campaign that has left people without a word calls one by one until they are 3 % of those who answered, then as before", async (t) => {
  const it = await aCalling(t, MAKE_UP_FOR_TWO + BEYOND, { max_concurrent_calls: AT_ONCE });
  const line = (course: { silent: number }) => {
    const isSilent = (to: string) => Array.from({ length: course.silent }, (_, i) => phone(i)).includes(to);
    return aLine((plan) => ({
      report: { answerer: "human", ...(isSilent(plan.contactPhone) ? { utterances: [] } : {}) },
      until: new Promise((resolve) => setTimeout(resolve, 5)),
    }));
  };
  const campaign = async () => (await it.api.get(`/v1/voice/campaigns/${it.campaignId}`)).body.campaign;
  const first = line({ silent: 2 });
  await drain(it.with(first), it.lane);
  assert.equal(first.mostAtOnce, AT_ONCE);
  assert.equal((await campaign()).waiting_because, "abandonment");

  const slow = line({ silent: 0 });
  const ctx = it.with(slow);
  const missing = MAKE_UP_FOR_TWO - first.left.length;
  while ((await campaign()).waiting_because === "abandonment") {
    assert.ok(slow.left.length < missing, `still after ${slow.left.length} calls`);
    await drain(ctx, it.lane);
  }
  // A drain that sees the hold end may place more at once: what counts is those before it.
  assert.ok(slow.left.length >= missing, `no more after ${slow.left.length} calls`);
  assert.deepEqual(new Set(slow.atOnce.slice(0, missing)), new Set([1]));

  const again = line({ silent: 0 });
  await drain(it.with(again), it.lane);
  assert.equal(again.mostAtOnce, AT_ONCE);
});
