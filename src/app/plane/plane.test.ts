import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { inheritedEnv } from "#app/settings/config.ts";
import { voiceAgent } from "#domain/agents/agent.ts";
import { decodeUlaw } from "#domain/calls/g711.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallEvent } from "#domain/calls/report.ts";
import type { ScriptedContact } from "#ports/scripted-contact.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import { heldAgain } from "#test/support/processes/standstill.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { until } from "#test/support/time/until.ts";
import { createPlane, type Plane } from "./plane.ts";
import type { SoundResult } from "./protocol.ts";
import { OPEN_RECORDINGS, salvageRecording } from "./recordings.ts";

const ENTRY = new URL("./child.ts", import.meta.url);
const WAV_HEADER_BYTES = 58;
const log = { info() {}, warn() {}, error() {} };

/** Without pocketsphinx, wherever this runs. */
const NO_SPEECH_TO_TEXT = { PARLEY_OFFLINE_SPEECH_TO_TEXT_CALLS: "0" };

function aPlane(owner: Owner, env: Record<string, string> = {}): Plane & { recordings: string } {
  const dataDir = aFolder("plane");
  const recordings = join(dataDir, OPEN_RECORDINGS);
  const plane = createPlane({
    children: 1,
    callsPerChild: 4,
    entry: ENTRY,
    env: inheritedEnv({ PARLEY_DATA_DIR: dataDir, PARLEY_LOG_LEVEL: "error", ...env }),
    salvage: (plan) => salvageRecording(recordings, plan.callId),
    log,
  });
  owner.after(() => plane.close());
  return { ...plane, recordings };
}

function aPlan(more: object = {}): CallPlan {
  return {
    callId: randomUUID(),
    tenantId: randomUUID(),
    ref: randomUUID(),
    mode: "test",
    direction: "outbound",
    purpose: "call",
    n: 1,
    number: "+12125550100",
    contactPhone: "+12125550130",
    campaign: "loans",
    agent: voiceAgent({
      agent_name: "Ann",
      prompt: "You call about a loan. Find out the budget.",
      voice_id: "offline-slt",
      starting_message: "Hi {{first_name}}, this is Ann from Acme. Do you have a minute?",
      extraction_fields: ["budget"],
      ...more,
    }),
    organization: "Acme",
    contact: { first_name: "Sam" },
    contactZone: "America/New_York",
    history: [],
    known: {},
    now: "2026-06-01T15:00:00.000Z",
    clockOffsetMs: 0,
  };
}

/** Begins a call to a simulated handset, and collects what happens in it. */
async function aCall(plane: Plane, contact: ScriptedContact, more: object = {}) {
  const events: CallEvent[] = [];
  const report = async (event: CallEvent) => void events.push(event);
  const call = plane.open(aPlan(more), { kind: "handset", contact }, { report, transfer: async () => true });
  await call.local;
  call.begin(new Date("2026-06-01T15:00:00.000Z"));
  return { call, events };
}

/** Holds a call to its end and looks at it. */
const aWholeCall = (
  t: TestContext,
  contact: ScriptedContact,
  more: object,
  look: (result: SoundResult, events: readonly CallEvent[]) => void,
) =>
  heldAgain(t, async (owner) => {
    const { call, events } = await aCall(aPlane(owner), contact, more);
    look(await call.ended, events);
  });

/** Whether each 20 ms frame has a voice in it, contact and agent. */
function loudFrames(file: string): [boolean, boolean][] {
  const data = readFileSync(file).subarray(WAV_HEADER_BYTES);
  const samples = new Int16Array(data.length);
  decodeUlaw(data, samples);
  const isLoud = (at: number, side: 0 | 1) => {
    let power = 0;
    for (let i = 0; i < 160; i++) power += samples[at * 320 + 2 * i + side]! ** 2;
    return power / 160 > 300 ** 2;
  };
  return Array.from({ length: Math.floor(samples.length / 320) }, (_, at) => [isLoud(at, 0), isLoud(at, 1)]);
}

/** The share of 20 ms frames with a voice in them, contact and agent. */
function spokenShare(file: string): [number, number] {
  const loud = loudFrames(file);
  const share = (side: 0 | 1) => loud.filter((frame) => frame[side]).length / loud.length;
  return [share(0), share(1)];
}

test("a call whose recording cannot be begun is none: it is over at once, and its place is free", async (t) => {
  const plane = aPlane(t);
  plane.warm();
  await until("the process is ready", async () => (await plane.states()).length >= 1);
  rmSync(plane.recordings, { recursive: true });
  const on = { report: async () => {}, transfer: async () => true };
  const call = plane.open(aPlan({ record: true }), { kind: "handset", contact: { answerer: "human", says: [] } }, on);
  await assert.rejects(call.local, /ENOENT/);
  assert.equal((await call.ended).reason, "error_unknown");
  assert.equal(plane.room(), 4);
});

test("an agent and a simulated phone talk, and the call is written down and recorded whole", async (t) => {
  const contact = {
    answerer: "human" as const,
    greeting: "Hello?",
    says: ["No thank you. Goodbye."],
    hangsUpWhenDone: true,
  };
  await aWholeCall(t, contact, {}, (result, events) => {
    assert.ok(["user_hangup", "agent_hangup"].includes(result.reason), result.reason);
    assert.equal(result.answerer, "human");
    assert.ok(events.some((event) => event.kind === "answered_by" && event.answerer === "human"));
    const greeting = result.utterances.find((utterance) => utterance.role === "agent")!;
    assert.match(greeting.text, /^Hi Sam, this is Ann from Acme/);
    for (const { startMs, endMs, words } of result.utterances) {
      assert.ok(startMs < endMs && endMs <= result.durationMs + 20, `${startMs} to ${endMs} of ${result.durationMs}`);
      assert.ok(words.every((word) => word.startMs <= word.endMs));
    }
    assert.ok(
      result.utterances.some((utterance) => utterance.role === "contact"),
      "the contact was transcribed",
    );
    assert.ok(Math.abs(result.recording!.durationMs - result.durationMs) <= 40);
    const [theirs, ours] = spokenShare(result.recording!.file);
    assert.ok(theirs > 0.05 && ours > 0.05, `speech on both sides: ${theirs}, ${ours}`);
  });
});

test("without speech-to-text a simulated phone's own words reach the agent, with the times at which they sound", async (t) => {
  await heldAgain(t, async (owner) => {
    const contact = { answerer: "human" as const, greeting: "Hello?", says: ["No thank you. Goodbye."] };
    const more = { starting_message: "Hi, this is Ann." };
    const { call } = await aCall(aPlane(owner, NO_SPEECH_TO_TEXT), { ...contact, hangsUpWhenDone: true }, more);
    const result = await call.ended;
    assert.equal(result.speechToText, "handset");
    const said = result.utterances.filter(({ role }) => role === "contact");
    assert.equal(said.map(({ text }) => text).join(" "), "Hello? No thank you. Goodbye.");
    const loud = loudFrames(result.recording!.file).map(([theirs]) => theirs);
    const words = said.flatMap((utterance) => utterance.words);
    assert.equal(words.length, 5);
    for (const { word, startMs, endMs } of words) {
      const frames = loud.slice(Math.floor(startMs / 20), Math.ceil(endMs / 20));
      const share = frames.filter((isLoud) => isLoud).length / frames.length;
      assert.ok(share >= 0.5, `${word} sounds from ${startMs} to ${endMs} ms: ${share}`);
    }
    const before = loud.slice(0, Math.floor(words[0]!.startMs / 20));
    assert.ok(!before.includes(true), "and nothing sounds before its first word");
    assert.ok(result.latencies.length > 0 && result.latencies.every(({ totalMs }) => totalMs > 0));
  });
});

test("without speech-to-text no call but a simulated phone's is taken, and nothing is sent or played in it", async (t) => {
  const plane = aPlane(t, NO_SPEECH_TO_TEXT);
  const on = { report: async () => {}, transfer: async () => true };
  for (const leg of [{ kind: "rtp", srtp: false, codecs: ["PCMU"] }, { kind: "web" }] as const) {
    const call = plane.open(aPlan(), leg, on);
    await assert.rejects(call.local, /no speech-to-text is available/);
    assert.equal((await call.ended).speechToText, undefined);
  }
  assert.deepEqual(readdirSync(plane.recordings), []);
  assert.equal(plane.room(), 4);
});

test("a mailbox gets its message after the beep", async (t) => {
  const contact = {
    answerer: "voicemail" as const,
    greeting: "You have reached the mailbox of Sam. Please leave a message after the tone.",
    says: [],
    hangsUpAtMs: 40_000,
  };
  const voicemail_message = "This is Ann. Please call us back.";
  await aWholeCall(t, contact, { voicemail_message }, (result) => {
    assert.deepEqual([result.reason, result.inVoicemail, result.voicemailLeft], ["voicemail_reached", true, true]);
    assert.equal(result.utterances.at(-1)!.text, voicemail_message);
  });
});

test("what an operator says before there is a sound the agent says after its greeting", async (t) => {
  await heldAgain(t, async (owner) => {
    const plane = aPlane(owner);
    const contact = { answerer: "human" as const, greeting: "Hello?", says: [] };
    let said = "";
    const report = async (event: CallEvent) => {
      if (event.kind === "utterance" && event.utterance.role === "agent") said += `${event.utterance.text} `;
    };
    // The agent speaks to whoever answers: on a slow machine a hello may be as long as a recording.
    const plan = aPlan({ detect_voicemail: false });
    const call = plane.open(plan, { kind: "handset", contact }, { report, transfer: async () => true });
    assert.equal(call.inject("The office is closed on Friday."), true);
    await call.local;
    call.begin(new Date("2026-06-01T15:00:00.000Z"));
    await until("the agent has said it", async () => said.includes("Friday."), 60_000);
    call.end("manual_stopped");
    await call.ended;
    assert.match(said, /^Hi Sam, this is Ann from Acme.* The office is closed on Friday\./);
    assert.equal(call.inject("Too late."), false);
  });
});

test("a call that nobody answered leaves no recording and frees its place", async (t) => {
  const plane = aPlane(t);
  const call = plane.open(
    aPlan(),
    { kind: "handset", contact: { answerer: "human", says: [] } },
    { report: async () => {}, transfer: async () => true },
  );
  await call.local;
  assert.equal(plane.room(), 3);
  call.end("dial_no_answer");
  const result = await call.ended;
  assert.equal(result.recording, undefined);
  assert.equal(plane.room(), 4);
});

test("a process that is killed ends its calls as errors, and their recordings lose at most five seconds", async (t) => {
  await heldAgain(t, async (owner) => {
    const plane = aPlane(owner);
    const { call } = await aCall(plane, { answerer: "human", greeting: "Hello?", says: [] });
    const begun = performance.now();
    const [name] = readdirSync(plane.recordings);
    const openBytes = () => statSync(join(plane.recordings, name!)).size;
    // As much as six seconds of both sides take: then several segments have been written.
    await until("six seconds are on disk", async () => openBytes() > 6 * 16_000);
    for (const pid of plane.pids()) process.kill(pid, "SIGKILL");
    const lastedMs = performance.now() - begun;
    const result = await call.ended;
    assert.equal(result.reason, "error_unknown");
    assert.ok(result.recording, "something of it is there");
    assert.ok(lastedMs - result.recording.durationMs <= 5_000, `${result.recording.durationMs} of ${lastedMs} ms`);
    assert.ok(plane.room() > 0, "and the next call has a process again");
  });
});
