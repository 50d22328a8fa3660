import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Recording } from "#domain/calls/report.ts";
import { publicId } from "#domain/values/id.ts";
import { adoptRecording, callsOver } from "#operations/calls/adopt-recording.ts";
import { checkRecordings } from "#operations/calls/check-recordings.ts";
import type { Context } from "#operations/context.ts";
import { until } from "#test/support/api/parley.ts";
import { aCalling, aLine, type Calling, drain, phone } from "#test/support/calls/calling.ts";

const LATER_MS = 31_000;
const recording = (durationMs: number): Recording => ({ name: `${randomUUID()}.wav`, bytes: 1, durationMs });

/** What is said of recordings when somebody looks `aheadMs` from now. */
async function check(ctx: Context, aheadMs: number) {
  const said: unknown[] = [];
  const log = { ...ctx.log, error: (facts: object) => void said.push(facts) } as Context["log"];
  await checkRecordings({ ...ctx, log, now: () => new Date(Date.now() + aheadMs) });
  return said as { callId: string; problem: string; durationMs: number; recordedMs: number | null }[];
}

const idOf = async ({ client }: Calling, i: number) =>
  (await client.query("select id from calls where phone = $1", [phone(i)])).rows[0].id as string;

const problemOf = async (calling: Calling, i: number) =>
  (await calling.api.get(`/v1/voice/calls/${publicId("call", await idOf(calling, i))}`)).body.call.recording_problem;

const alarms = async ({ api }: Calling) =>
  [...(await api.get("/metrics")).body.matchAll(/^parley_recording_alarms\{problem="(\w+)"\} (\d+)/gm)].map(
    ([, problem, n]) => [problem, Number(n)],
  );

test("a call that was recorded comes out with a recording of its length, or is an alarm once, until one is found", async (t) => {
  const calling = await aCalling(t, 4);
  // A minute each: whole, too short, lost; and one of which nothing was ever to be recorded.
  const kept = [recording(59_000), recording(55_000), undefined, undefined];
  const line = aLine((plan) => {
    const i = kept.findIndex((_, n) => plan.contactPhone === phone(n));
    return {
      during: async (on) => {
        if (i < 3) await on({ kind: "recorded", at: plan.now });
      },
      report: kept[i] ? { recording: kept[i] } : {},
    };
  });
  const ctx = calling.with(line);
  await drain(ctx, calling.lane);
  assert.deepEqual(await check(ctx, 0), [], "a node may be on its way back with what it had left");
  const found = await check(ctx, LATER_MS);
  assert.deepEqual(
    found.map(({ callId, problem, durationMs, recordedMs }) => [callId, problem, durationMs, recordedMs]).sort(),
    [
      [await idOf(calling, 1), "length", 60_000, 55_000],
      [await idOf(calling, 2), "missing", 60_000, null],
    ].sort(),
  );
  assert.deepEqual(await check(ctx, LATER_MS), [], "each is told once");
  const problems = [];
  for (const i of [0, 1, 2, 3]) problems.push(await problemOf(calling, i));
  assert.deepEqual(problems, [null, "length", "missing", null]);
  assert.deepEqual(await alarms(calling), [
    ["missing", 1],
    ["length", 1],
  ]);

  const late = recording(60_000);
  assert.equal(await adoptRecording(ctx, await idOf(calling, 2), async () => late), "kept");
  assert.equal(await problemOf(calling, 2), null);
  // An answer is given to all who ask within half a second.
  await until("the alarm is over", async () =>
    (await alarms(calling)).some(([problem, n]) => problem === "missing" && n === 0),
  );
  assert.deepEqual(await alarms(calling), [
    ["missing", 0],
    ["length", 1],
  ]);
});

test("a recording that a lost node left goes to its call once that is over, and to no other", async (t) => {
  const calling = await aCalling(t, 2);
  const hangUp = Promise.withResolvers<void>();
  const line = aLine((plan) => ({
    until: hangUp.promise,
    ...(plan.contactPhone === phone(1) ? { report: { recording: recording(60_000) } } : {}),
  }));
  const ctx = calling.with(line);
  const over = drain(ctx, calling.lane);
  await until("both are on the phone", async () => {
    const { rows } = await calling.client.query("select from calls where status = 'ongoing'");
    return rows.length === 2;
  });
  const left = recording(58_000);
  const keep = async () => left;
  const never = async (): Promise<Recording> =>
    assert.fail("a recording was touched that is still written, or nobody's");
  const [bare, whole] = [await idOf(calling, 0), await idOf(calling, 1)];
  assert.deepEqual(await callsOver(ctx, [bare, whole]), []);
  assert.equal(await adoptRecording(ctx, bare, never), "later");
  hangUp.resolve();
  await over;
  assert.deepEqual(await callsOver(ctx, [bare, whole, randomUUID()]).then((ids) => ids.length), 3);
  assert.equal(await adoptRecording(ctx, bare, async () => undefined), "dropped", "nothing is in it");
  assert.equal(await adoptRecording(ctx, bare, keep), "kept");
  assert.equal(await adoptRecording(ctx, bare, never), "dropped", "it has one by now");
  assert.equal(await adoptRecording(ctx, whole, never), "dropped");
  assert.equal(await adoptRecording(ctx, randomUUID(), never), "dropped");
  const { rows } = await calling.client.query("select recording, recording_ms from call_details where call_id = $1", [
    bare,
  ]);
  assert.deepEqual(rows, [{ recording: left.name, recording_ms: 58_000 }]);
  const { body } = await calling.api.get(`/v1/voice/calls/${publicId("call", bare)}`);
  assert.deepEqual([body.call.recording_ms, typeof body.call.recording_url], [58_000, "string"]);
});
