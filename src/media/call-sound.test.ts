import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { voiceAgent } from "#domain/agents/agent.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { TranscriptEvent } from "#ports/speech-to-text.ts";
import { aDialog } from "#test/support/calls/session.ts";
import { callSound } from "./call-sound.ts";

/** A call whose contact speaks and hangs up at once, over a speech-to-text that answers when the test has it answer. */
async function hungUpAfterSpeaking() {
  const log: string[] = [];
  let transcribe: ((event: TranscriptEvent) => void) | undefined;
  let heard: ((probability: number, endMs: number) => void) | undefined;
  let timer: { ms: number; over: () => void } | undefined;
  const agent = voiceAgent({ agent_name: "Ann", prompt: "Talk.", voice_id: "offline-slt" });
  const sound = callSound({
    plan: { agent, direction: "outbound" } as CallPlan,
    leg: { listen() {}, send() {}, clear() {}, dtmf() {}, close: () => void log.push("leg closed") },
    dialog: aDialog(() => []),
    voice: { name: "silent", knows: () => true, async *speak() {} },
    speechToText: {
      name: "slow",
      capabilities: { words: false, interim: false },
      async listen(_options, on) {
        transcribe = on;
        return { write() {}, flush: () => void log.push("flush"), close: () => void log.push("closed") };
      },
    },
    openDetector(onWindow) {
      heard = onWindow;
      return { push() {}, close() {} };
    },
    report: async () => {},
    transfer: async () => false,
    answeredAt: new Date("2026-06-01T17:00:00Z"),
    clock: () => 0,
    after(ms, over) {
      timer = { ms, over };
      return () => void log.push("timer taken back");
    },
  });
  await turnOfLoop();
  for (let frame = 1; frame <= 50; frame++) {
    if (frame > 25) heard!(0.9, frame * 20);
    sound.tick();
  }
  await turnOfLoop();
  sound.end("user_hangup");
  let isEnded = false;
  void sound.ended.then(() => {
    isEnded = true;
  });
  await turnOfLoop();
  assert.deepEqual([isEnded, timer?.ms], [false, 20_000], "the words are waited for");
  assert.deepEqual(log.splice(0), ["leg closed", "flush"]);
  return { sound, log, transcribe: transcribe!, giveUp: timer!.over };
}

test("words that are being transcribed as the contact hangs up are waited for, and a wish in them holds", async () => {
  const { sound, log, transcribe } = await hungUpAfterSpeaking();
  transcribe({ kind: "final", text: "take me off your list", words: [], flushed: true });
  const { reason, requests, utterances } = await sound.ended;
  assert.deepEqual([reason, requests.optOut], ["user_hangup", { quote: "take me off your list" }]);
  assert.equal(utterances.at(-1)!.text, "take me off your list");
  assert.deepEqual(log, ["timer taken back", "closed"]);
});

test("a call ends without the last words where speech-to-text does not answer, and where it fails", async () => {
  const silent = await hungUpAfterSpeaking();
  silent.giveUp();
  assert.deepEqual((await silent.sound.ended).requests, {});
  assert.ok(silent.log.includes("closed"));
  const failing = await hungUpAfterSpeaking();
  failing.transcribe({
    kind: "failed",
    error: Object.assign(new Error("gone"), { retryable: false, vendorCode: "x" }),
  });
  const { reason, requests } = await failing.sound.ended;
  assert.deepEqual([reason, requests], ["user_hangup", {}]);
});
