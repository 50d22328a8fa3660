import assert from "node:assert/strict";
import { test } from "node:test";
import { analyseCalls } from "#operations/calls/analyse-calls.ts";
import type { Context } from "#operations/context.ts";
import { type LanguageModel, ModelError } from "#ports/language-model.ts";
import { aCalling, aLine, drain } from "#test/support/calls/calling.ts";

/** A model that is away: it says how long, as configured for each request. */
function away(retryAfterMs: (asked: number) => number) {
  let asked = 0;
  const refuse = async (): Promise<never> => {
    throw new ModelError("away", { retryable: true, vendorCode: "429", retryAfterMs: retryAfterMs(asked++) });
  };
  const model: LanguageModel = {
    name: "away",
    capabilities: { local: false, choosable: false },
    reply: refuse,
    extract: refuse,
    // biome-ignore lint/correctness/useYield: it has nothing to say
    async *converse() {
      await refuse();
    },
  };
  return { model, asked: () => asked };
}

test("calls that a model could not analyse are retried when the first of them is due, not the last", async (t) => {
  const calling = await aCalling(t, 20);
  const now = new Date();
  const own = calling.with(aLine());
  await drain(own, calling.lane);
  await calling.client.query("delete from graphile_worker._private_jobs");
  // As many as are asked about at once come first.
  const { model, asked } = away((n) => (n < 8 ? 2_000 : 600_000));
  const ctx: Context = { ...own, now: () => now, models: { forMode: () => model } };
  await analyseCalls(ctx, { tenantId: calling.tenantId }, new AbortController().signal);
  assert.equal(asked(), 20);
  const { rows } = await calling.client.query(
    "select run_at from graphile_worker.jobs where key like 'analyse-calls:%'",
  );
  assert.deepEqual(
    rows.map(({ run_at }) => run_at.getTime() - now.getTime()),
    [2_000],
  );
});
