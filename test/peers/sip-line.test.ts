import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { objectFolder } from "#adapters/objects/files/folder.ts";
import { fliteVoice } from "#adapters/speech/flite/voice.ts";
import { pocketsphinxInstalled } from "#adapters/speech/pocketsphinx/ears.ts";
import { inheritedEnv } from "#app/config.ts";
import { createPlane } from "#app/plane/plane.ts";
import { sipLine } from "#app/plane/sip-line.ts";
import type { CallEvent } from "#domain/call-report.ts";
import { decodeUlaw } from "#domain/g711.ts";
import { spokenWhole } from "#media/spoken.ts";
import { aPlan } from "#test/support/call-plan.ts";
import { baresip } from "./baresip.ts";
import { anAgent } from "./parley.ts";
import { missing } from "./programs.ts";

const skip = missing("baresip") || (pocketsphinxInstalled() ? false : "pocketsphinx is not installed");
const WAV_HEADER_BYTES = 58;

/** Sentences with silences between them, in milliseconds, as a telephone at 8 kHz speaks them. */
async function spoken(...parts: (string | number)[]): Promise<Int16Array> {
  const voice = fliteVoice();
  const pieces: Int16Array[] = [];
  const options = { voiceId: "offline-rms", language: "en-US", speed: 1, temperature: 1 };
  for (const part of parts) {
    if (typeof part === "number") pieces.push(new Int16Array(part * 8));
    else pieces.push(await spokenWhole(voice, part, options, AbortSignal.timeout(60_000)));
  }
  await voice.close();
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The right channel of a recording: the agent. */
function agentOf(file: Buffer): Int16Array {
  const samples = new Int16Array(file.length - WAV_HEADER_BYTES);
  decodeUlaw(file.subarray(WAV_HEADER_BYTES), samples);
  return samples.filter((_, i) => i % 2 === 1);
}

/** How alike the loudest second of `a` is to the best place in `b`: 1 is the same. */
function likeness(a: Int16Array, b: Int16Array): number {
  const power = (of: Int16Array, from: number, length: number) => {
    let sum = 0;
    for (let i = from; i < from + length; i++) sum += of[i]! ** 2;
    return sum;
  };
  let at = 0;
  for (let from = 0; from + 8_000 <= a.length; from += 800) {
    if (power(a, from, 8_000) > power(a, at, 8_000)) at = from;
  }
  const norm = Math.sqrt(power(a, at, 8_000));
  let best = 0;
  for (let from = 0; from + 8_000 <= b.length; from++) {
    // Coarse first: every tenth sample.
    let product = 0;
    let other = 0;
    for (let i = 0; i < 8_000; i += 10) {
      product += a[at + i]! * b[from + i]!;
      other += b[from + i]! ** 2;
    }
    best = Math.max(best, (10 * product) / (norm * Math.sqrt(10 * other) || 1));
  }
  return best;
}

/** A line to a telephone of this machine, with its process for sound. */
async function aLine(t: TestContext, phone: { port: number }) {
  const dataDir = mkdtempSync(join(tmpdir(), "parley-sip-line-"));
  const agent = await anAgent(t, { port: phone.port });
  const log = { info() {}, warn() {}, error() {} };
  const plane = createPlane({
    children: 1,
    callsPerChild: 2,
    entry: new URL("../../src/app/plane/child.ts", import.meta.url),
    env: inheritedEnv({ PARLEY_DATA_DIR: dataDir, PARLEY_LOG_LEVEL: "error" }),
    salvage: async () => undefined,
    log,
  });
  t.after(async () => {
    await plane.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const trunk = {
    name: "peer",
    host: "127.0.0.1",
    port: phone.port,
    transport: "udp" as const,
    allowedAddresses: [],
    srtp: "off" as const,
    register: false,
    keepAliveSeconds: 0,
    maxCalls: 10,
    callsPerSecond: 10,
  };
  const recordings = join(dataDir, "recordings");
  const store = objectFolder(recordings);
  const line = sipLine({ agent, trunk, plane, store, mayCallFrom: async () => true, now: () => new Date(), log });
  return { line, plane, recordings };
}

test("an agent calls a telephone over SIP, talks with it, and what it said is recorded as it was heard", {
  skip,
}, async (t) => {
  const phone = await baresip(t, { source: await spoken(500, "Hello?", 7_000, "No thank you. Goodbye.", 30_000) });
  const { line, recordings } = await aLine(t, phone);

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
    events.map((it) => it.kind).filter((kind) => kind === "answered" || kind === "answered_by"),
    ["answered", "answered_by"],
  );
  assert.ok(
    report.utterances.some((it) => it.role === "agent") && report.utterances.some((it) => it.role === "contact"),
  );
  const file = readFileSync(join(recordings, report.recording!.name));
  assert.equal(file.length, report.recording!.bytes);
  assert.ok(Math.abs(report.recording!.durationMs - report.durationMs) <= 40);
  assert.ok(likeness(agentOf(file), phone.heard()) > 0.9, `${likeness(agentOf(file), phone.heard())}`);
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
