import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "#operations/context.ts";
import { trunkCallTaker } from "#operations/numbers/take-trunk-calls.ts";
import type { OpenCarrier } from "#ports/carrier-account.ts";
import { until } from "#test/support/api/parley.ts";
import { aLiveAccount } from "#test/support/messaging/live-account.ts";

type Taking = Parameters<NonNullable<OpenCarrier["takeCalls"]>>[0];

/** A process that holds calls, whose trunk says of itself what the test has it say. */
function aNode(ctx: Context) {
  let taking: Taking;
  const opened: Partial<OpenCarrier> = {
    async takeCalls(next) {
      taking = next;
    },
  };
  const accounts = { ...ctx.carriers.accounts, open: async () => opened as OpenCarrier };
  const run = trunkCallTaker({ ...ctx, carriers: { ...ctx.carriers, accounts } });
  return { run, says: (problem: string | undefined) => taking!.problem?.(problem) };
}

test("a trunk's problem that one node has is shown though another reaches the trunk, until it is over", async (t) => {
  const { ctx, client } = await aLiveAccount(t);
  await client.query("update carrier_accounts set kind = 'sip', status = 'connected', problem = null");
  const shown = async () => (await client.query("select problem from carrier_accounts")).rows[0].problem;
  const shows = (problem: string | null) => until(`${problem} is shown`, async () => (await shown()) === problem);
  const [one, another] = [aNode(ctx), aNode(ctx)];
  await one.run();
  await another.run();

  one.says("sip.example.com does not answer");
  await shows("sip.example.com does not answer");
  another.says(undefined);
  await shows(null);
  await another.run();
  assert.equal(await shown(), null);
  await one.run();
  assert.equal(await shown(), "sip.example.com does not answer");

  // Of two that differ the latest stays: nodes do not write over each other.
  another.says("The registration is refused (403 Forbidden)");
  await shows("The registration is refused (403 Forbidden)");
  await one.run();
  await another.run();
  assert.equal(await shown(), "The registration is refused (403 Forbidden)");
  another.says(undefined);
  await shows(null);
  await one.run();
  assert.equal(await shown(), "sip.example.com does not answer");

  one.says(undefined);
  await shows(null);
  await one.run();
  await another.run();
  assert.equal(await shown(), null);
});
