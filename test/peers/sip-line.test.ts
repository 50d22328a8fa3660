import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pocketsphinxInstalled } from "#adapters/offline-speech/speech-to-text.ts";
import type { CallEvent } from "#domain/calls/report.ts";
import { aPlan } from "#test/support/calls/plan.ts";
import { heldAgain } from "#test/support/processes/standstill.ts";
import { baresip } from "./baresip.ts";
import { locate } from "./likeness.ts";
import { aLine, spoken } from "./line.ts";
import { missing } from "./programs.ts";

const skip = missing("baresip") || (pocketsphinxInstalled() ? false : "pocketsphinx is not installed");

test("an agent calls a telephone over SIP, talks with it, and what it said is recorded as it was heard", {
  skip,
}, async (t) => {
  await heldAgain(t, async (owner) => {
    const phone = await baresip(owner, {
      source: await spoken(500, "Hello?", 7_000, "No thank you. Goodbye.", 30_000),
    });
    const { line, recordings, sidesOf } = await aLine(owner, phone);

    const events: CallEvent[] = [];
    const plan = aPlan({ contactPhone: "phone" });
    const call = line.begin(
      plan,
      async (event) => void events.push(event),
      () => true,
    );
    assert.equal((await call.placed).outcome, "placed");
    const report = await call.report;

    assert.equal(report.status, "ended", report.reason);
    assert.equal(report.answerer, "human");
    assert.deepEqual(
      events.map((event) => event.kind).filter((kind) => kind === "answered" || kind === "answered_by"),
      ["answered", "answered_by"],
    );
    assert.ok(
      report.utterances.some((utterance) => utterance.role === "agent") &&
        report.utterances.some((utterance) => utterance.role === "contact"),
    );
    const file = readFileSync(join(recordings, report.recording!.name));
    assert.equal(file.length, report.recording!.bytes);
    assert.ok(Math.abs(report.recording!.durationMs - report.durationMs) <= 40);
    const { likeness } = locate(sidesOf(report).agent, phone.heard());
    assert.ok(likeness > 0.9, `${likeness}`);
  });
});

test("a call that is stopped while it rings ends as stopped, without a recording", { skip }, async (t) => {
  const { line, plane } = await aLine(t, await baresip(t, { answers: false }));
  const rings = Promise.withResolvers<void>();
  const call = line.begin(
    aPlan({ contactPhone: "phone" }),
    async (event) => {
      if (event.kind === "ringing") rings.resolve();
    },
    () => true,
  );
  await rings.promise;
  call.stop("manual_stopped");
  const report = await call.report;
  assert.deepEqual([report.status, report.reason, report.recording], ["not_connected", "manual_stopped", undefined]);
  assert.equal(plane.room(), 2);
});
