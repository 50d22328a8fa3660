import { setImmediate as turnOfLoop } from "node:timers/promises";
import { voiceAgent } from "#domain/agents/agent.ts";
import { FRAME_MS, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallEvent } from "#domain/calls/report.ts";
import { createPlayback } from "#media/audio/playback.ts";
import { createBargeIn } from "#media/turn/barge-in.ts";
import { type CallSession, callSession, type SessionResult } from "#media/turn/call-session.ts";
import { createEndpointing } from "#media/turn/endpointing.ts";
import { speaker } from "#media/turn/speaker.ts";
import { turnTranscript } from "#media/turn/transcript.ts";
import type { CallDialog, DialogPart } from "#ports/call-dialog.ts";
import type { TextToSpeech } from "#ports/text-to-speech.ts";

/** 100 ms of sound a word, at once. */
const voice: TextToSpeech = {
  name: "fake",
  knows: () => true,
  async *speak(sentence) {
    const words = sentence.split(" ");
    yield {
      samples: new Int16Array(words.length * 800).fill(900),
      sampleRate: 8_000,
      words: words.map((word, i) => ({ word, startMs: i * 100, endMs: i * 100 + 90 })),
    };
  },
};

export type Received = { said: string[]; prompted: string[]; played: string[] };

export function aDialog(
  answers: (said: string) => DialogPart[],
  more: Partial<CallDialog> = {},
): CallDialog & { received: Received } {
  const received: Received = { said: [], prompted: [], played: [] };
  return {
    received,
    greeting: () => "Hi, this is Ann from Acme calling about your loan.",
    voicemailMessage: () => "Please call us back.",
    async *turn(said) {
      received.said.push(said);
      yield* answers(said);
    },
    async *prompted(why) {
      received.prompted.push(JSON.stringify(why));
      yield { kind: "sentence", text: "Are you there?" };
    },
    played: (text) => void received.played.push(text),
    usage: { inputTokens: 0, outputTokens: 0 },
    ...more,
  };
}

/** A session whose contact says what the test has it say, on a clock that the test moves. */
export function aCall(
  dialog: CallDialog & { received: Received },
  more: {
    agent?: object;
    report?: (event: CallEvent) => Promise<void>;
    transfer?: (to: string) => Promise<boolean>;
  } = {},
) {
  const agent = voiceAgent({ agent_name: "Ann", prompt: "Talk.", voice_id: "offline-slt", ...more.agent });
  const plan = { agent } as CallPlan;
  const playback = createPlayback();
  const endpointing = createEndpointing(agent.responsiveness);
  const bargeIn = createBargeIn(agent.interruption_sensitivity);
  const events: CallEvent[] = [];
  let result: SessionResult | undefined;
  let flushed = 0;
  const stream = { write() {}, flush: () => void flushed++, close() {} };
  let session: CallSession;
  const speechToText = turnTranscript(stream, {
    turn: (turn) => session.turn(turn),
    words: (text) => session.words(text),
    failed() {},
  });
  session = callSession({
    plan,
    dialog,
    playback,
    speaker: speaker(voice, { voiceId: "x", language: "en-US", speed: 1, temperature: 1 }, playback),
    turnTranscript: speechToText,
    endpointing,
    bargeIn,
    report: async (event) => {
      events.push(event);
      await more.report?.(event);
    },
    transfer: more.transfer ?? (async () => true),
    dtmf() {},
    over: (end) => {
      result = end;
    },
    date: (ms) => new Date(ms).toISOString(),
  });
  let nowMs = 0;
  const frame = new Int16Array(FRAME_SAMPLES);
  const call = {
    session,
    events,
    result: () => result,
    now: () => nowMs,
    /** Goes on for some time; the number of frames in which the agent spoke. */
    async pass(ms: number): Promise<number> {
      let spoken = 0;
      for (const until = nowMs + ms; nowMs < until && !result; nowMs += FRAME_MS) {
        session.tick(nowMs);
        if (playback.next(frame, nowMs)) {
          session.played(nowMs);
          spoken++;
        }
        await turnOfLoop();
      }
      return spoken;
    },
    /** The contact says something for `ms`; the final transcript comes at its end. */
    async say(text: string, ms = 600): Promise<void> {
      session.speech("onset", nowMs);
      await call.pass(ms / 2);
      speechToText.transcribed({ kind: "interim", text }, nowMs);
      await call.pass(ms / 2);
      session.speech("offset", nowMs);
      const before = flushed;
      const words = text.split(" ").map((word, i) => ({ word, startMs: nowMs - ms + i, endMs: nowMs - ms + i + 1 }));
      while (flushed === before && !result && nowMs < 600_000) await call.pass(FRAME_MS);
      speechToText.transcribed({ kind: "final", text, words, flushed: true }, nowMs);
    },
  };
  return call;
}
