import type { DisconnectionReason } from "#domain/calls/call.ts";
import { encodeUlaw, FRAME_MS, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallEvent } from "#domain/calls/report.ts";
import { opening } from "#media/answering/opening.ts";
import { createJitterBuffer } from "#media/audio/jitter-buffer.ts";
import { createPlayback } from "#media/audio/playback.ts";
import type { SileroStream, SpeechHeard } from "#media/audio/silero.ts";
import { createSpeechGate } from "#media/audio/speech-gate.ts";
import { createToneDetector } from "#media/audio/tones.ts";
import { WIDE_FRAME_SAMPLES } from "#media/audio/wide-sound.ts";
import type { Recorder } from "#media/recording/recorder.ts";
import { createBargeIn } from "#media/turn/barge-in.ts";
import { callSession, type SessionResult } from "#media/turn/call-session.ts";
import { createEndpointing } from "#media/turn/endpointing.ts";
import { listener } from "#media/turn/listener.ts";
import { speaker } from "#media/turn/speaker.ts";
import { type ContactTurn, turnTranscript } from "#media/turn/transcript.ts";
import type { CallDialog } from "#ports/call-dialog.ts";
import type { MediaLeg } from "#ports/media-leg.ts";
import type { SpeechToText } from "#ports/speech-to-text.ts";
import type { TextToSpeech } from "#ports/text-to-speech.ts";

/** A call without a packet by then ends as an error: its audio path is broken. */
const NO_AUDIO_MS = 20_000;
/** The detector's window: each probability is about the last 32 ms. */
const WINDOW_MS = 32;
/** Words of the contact that are being transcribed when the call ends are waited for so long: they may be a wish to be left alone. */
const LAST_WORDS_WITHIN_MS = 20_000;

export type CallSoundParts = {
  plan: CallPlan;
  leg: MediaLeg;
  dialog: CallDialog;
  voice: TextToSpeech;
  speechToText: SpeechToText;
  openDetector(onWindow: SpeechHeard): SileroStream;
  /** Adds background sound to a frame of the agent's voice. */
  ambient?: ((frame: Int16Array) => void) | undefined;
  recorder?: Pick<Recorder, "push"> | undefined;
  report(event: CallEvent): Promise<void>;
  transfer(to: string): Promise<boolean>;
  /** The tenant's time at the answer. */
  answeredAt: Date;
  /** Milliseconds of a monotonic clock: when packets arrived. */
  clock(): number;
  /** Calls back once, by the same clock; what it returns takes it back. */
  after(ms: number, callback: () => void): () => void;
};

/** A call's sound from the answer to the hang-up, 20 ms at a time, and the conversation in it. */
export type CallSound = {
  /** Called every 20 ms by the scheduler; `skipped` frames before this one were left out, and nothing was played in them. */
  tick(skipped?: number): void;
  inject(text: string): boolean;
  /** A key that arrived by another way than the media leg. */
  digit(digit: string): void;
  end(reason: DisconnectionReason): void;
  /** Resolves once, when all of the call's resources but the recording have been released. */
  readonly ended: Promise<SessionResult & { speechToTextMs: number; voiceCharacters: number }>;
};

export function callSound(parts: CallSoundParts): CallSound {
  const { plan, leg, dialog, report } = parts;
  const { agent } = plan;
  const wide = leg.wideRate && new Int16Array(WIDE_FRAME_SAMPLES);
  const jitter = createJitterBuffer(wide);
  const tones = createToneDetector();
  const gate = createSpeechGate();
  const played = createPlayback();
  // What is dropped here is dropped where the carrier keeps it, too.
  const playback: typeof played = {
    ...played,
    cut() {
      played.cut();
      leg.clear();
    },
  };
  const voice = speaker(
    parts.voice,
    {
      voiceId: agent.voice_id,
      language: agent.language,
      speed: agent.voice_speed,
      temperature: agent.voice_temperature,
    },
    playback,
  );
  const endpointing = createEndpointing(agent.responsiveness);
  const { promise: ended, resolve } = Promise.withResolvers<
    SessionResult & { speechToTextMs: number; voiceCharacters: number }
  >();
  const stopListening = new AbortController();
  const incoming = new Int16Array(FRAME_SAMPLES);
  const outgoing = new Int16Array(FRAME_SAMPLES);
  const coded = new Uint8Array(FRAME_SAMPLES);
  let frames = 0;
  let isOver = false;
  let hasSound = false;

  const speechToText = listener(
    parts.speechToText,
    { language: agent.language, keywords: agent.boosted_keywords, ...(wide ? { sampleRate: leg.wideRate } : {}) },
    (event) => transcript.transcribed(event, nowMs()),
    stopListening.signal,
  );
  const nowMs = () => frames * FRAME_MS;
  const transcript = turnTranscript(speechToText, {
    words(text) {
      session.words(text);
      start.words(text);
    },
    turn(said) {
      session.turn(said);
      start.turn();
    },
    failed: () => session.end("error_asr"),
  });
  const session = callSession({
    plan,
    dialog,
    playback,
    speaker: voice,
    turnTranscript: transcript,
    endpointing,
    bargeIn: createBargeIn(agent.interruption_sensitivity),
    report,
    transfer: parts.transfer,
    dtmf: (digits) => leg.dtmf(digits),
    date: (ms) => new Date(parts.answeredAt.getTime() + ms).toISOString(),
    over(result) {
      isOver = true;
      detector.close();
      leg.close();
      let cancel: (() => void) | undefined;
      const release = (late?: ContactTurn) => {
        cancel?.();
        stopListening.abort();
        transcript.close();
        const more = late === undefined ? {} : session.late(late);
        resolve({ ...result, ...more, speechToTextMs: result.durationMs, voiceCharacters: voice.characters });
      };
      const isDeaf = result.inVoicemail || result.reason === "error_asr";
      const last = isDeaf ? undefined : transcript.last(nowMs(), endpointing.isSpeaking());
      if (last === undefined) return release();
      const enough = new Promise<undefined>((done) => {
        cancel = parts.after(LAST_WORDS_WITHIN_MS, () => done(undefined));
      });
      void Promise.race([last, enough]).then(release);
    },
  });
  const start = opening({
    direction: plan.direction,
    detectVoicemail: agent.detect_voicemail,
    session,
    turnTranscript: transcript,
  });
  const detector = parts.openDetector((probability, endMs) => {
    const edge = gate.push(probability, endMs - WINDOW_MS, endMs);
    if (edge === undefined || isOver) return;
    speechToText.attend(edge === "onset");
    const atMs = edge === "onset" ? gate.onsetMs() : gate.offsetMs();
    session.speech(edge, atMs);
    start.speech(edge, atMs);
  });
  // The greeting is synthesised while answering-machine detection still runs.
  voice.prepare(dialog.greeting());
  leg.listen({
    packet(sequence, timestamp, payload, wide) {
      hasSound = true;
      jitter.push(sequence, timestamp, payload, parts.clock(), wide);
    },
    dtmf: (digit) => session.digit(digit),
    ended: () => session.end("user_hangup"),
  });

  /** A frame that came too late to process: its sound is lost, but it counts as 20 ms of the call. */
  const leaveOut = () => {
    jitter.pop(incoming, parts.clock());
    outgoing.fill(0);
    parts.recorder?.push(incoming, outgoing);
    frames++;
  };

  return {
    ended,
    inject: (text) => session.inject(text),
    digit: (digit) => session.digit(digit),
    end: (reason) => session.end(reason),
    tick(skipped = 0) {
      if (isOver) return;
      for (let i = 0; i < skipped; i++) leaveOut();
      jitter.pop(incoming, parts.clock());
      const tone = start.wantsTones(nowMs()) ? tones.push(incoming) : undefined;
      if (tone) start.tone(tone);
      detector.push(incoming);
      transcript.push(wide ?? incoming);
      start.tick(nowMs());
      session.tick(nowMs());
      if (!hasSound && nowMs() >= NO_AUDIO_MS) session.end("error_no_audio_received");
      if (isOver) return;
      if (playback.next(outgoing, nowMs())) session.played(nowMs());
      else outgoing.fill(0);
      parts.ambient?.(outgoing);
      encodeUlaw(outgoing, coded);
      leg.send(coded);
      parts.recorder?.push(incoming, outgoing);
      frames++;
    },
  };
}
