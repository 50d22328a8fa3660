import { randomBytes } from "node:crypto";
import { handsetLeg, type SpokenLine } from "#adapters/simulator/handset-leg.ts";
import { type HandsetSpeechToText, handsetSpeechToText } from "#adapters/simulator/handset-speech-to-text.ts";
import { openRtpLeg, type RtpLeg } from "#adapters/sip-audio/rtp-leg.ts";
import { openRtpPort, type RtpPort } from "#adapters/sip-audio/rtp-port.ts";
import type { RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import { systemClock } from "#adapters/sip-transport/clock.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { NetworkDrop } from "#domain/system/network-drop.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type AmbientSound, createAmbient } from "#media/audio/ambient.ts";
import { type CallSound, type CallSoundParts, callSound } from "#media/call-sound.ts";
import { createRecorder, type Recorder } from "#media/recording/recorder.ts";
import type { Log } from "#operations/context.ts";
import type { CallDialog, CallDialogs } from "#ports/call-dialog.ts";
import type { MediaLeg } from "#ports/media-leg.ts";
import type { ScriptedContact } from "#ports/scripted-contact.ts";
import type { SpeechToText } from "#ports/speech-to-text.ts";
import { type FromChild, type LegPlan, NOTHING_SAID, type SoundResult, type ToChild } from "./protocol.ts";
import { dropRecording, openRecordingFile } from "./recordings.ts";
import { type WebLeg, webLeg } from "./web-leg.ts";

export type ChildCallParts = Pick<CallSoundParts, "voice" | "openDetector"> & {
  /** Undefined where none is available: then only simulated handsets can be talked with, which report their own words. */
  speechToText: SpeechToText | undefined;
  dialogs: CallDialogs;
  /** A handset's line as sound. */
  sayLine(line: string): Promise<SpokenLine>;
  /** Calls `tick` for each frame, every 20 ms, until the returned function is called. */
  schedule(tick: (skipped: number) => void): () => void;
  recordings: string;
  rtp: { address: string; publicAddress?: string; range: readonly [number, number] };
  send(message: FromChild): void;
  /** Something of a call's packets was dropped. */
  count(drop: NetworkDrop): void;
  log: Log;
};

const NO_SPEECH_TO_TEXT =
  "no speech-to-text is available: install pocketsphinx, or name a provider with PARLEY_SPEECH_TO_TEXT_PROVIDER";

/** An RTP leg can also be moved to another address, and a web leg takes audio. */
type Leg = MediaLeg & Partial<Pick<RtpLeg, "update"> & Pick<WebLeg, "receiveAudio">>;

type Held = {
  plan: CallPlan;
  kind: LegPlan["kind"];
  port?: RtpPort | undefined;
  contact?: ScriptedContact | undefined;
  recorder?: Recorder | undefined;
  sound?: CallSound;
  /** The name of what transcribes the contact. */
  speechToText?: string;
  leg?: Leg;
  isOver: boolean;
};

/** The calls of one child process: carries out the node's commands, and reports events to it. */
export function createChildCalls(parts: ChildCallParts): {
  take(message: Exclude<ToChild, { do: "report" }>): void;
  count(): number;
} {
  const { send, log } = parts;
  const held = new Map<Uuid, Held>();
  const asked = new Map<number, { resolve(ok: boolean): void }>();
  let lastId = 0;

  /** Sends the node a request, and waits for its answer. */
  const ask = (make: (id: number) => FromChild): Promise<boolean> => {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    asked.set(id, { resolve });
    send(make(id));
    return promise;
  };

  const open = async (call: Uuid, plan: CallPlan, leg: LegPlan) => {
    const entry: Held = { plan, kind: leg.kind, isOver: false };
    held.set(call, entry);
    try {
      if (!parts.speechToText && leg.kind !== "handset") throw new Error(NO_SPEECH_TO_TEXT);
      if (plan.agent.record)
        entry.recorder = await createRecorder(openRecordingFile(parts.recordings, call), Math.random());
      if (leg.kind === "handset") entry.contact = leg.contact;
      if (leg.kind === "rtp") {
        entry.port = await openRtpPort({
          ...parts.rtp,
          codecs: leg.codecs,
          hasSrtp: leg.srtp,
          random: randomBytes,
        });
      }
      if (entry.isOver) return entry.port?.close();
      send({ say: "opened", call, ...(entry.port ? { local: entry.port.local } : {}) });
    } catch (error) {
      held.delete(call);
      await entry.recorder?.finish().catch(() => {});
      send({ say: "opened", call, error: (error as Error).message });
    }
  };

  const legOf = (
    call: Uuid,
    entry: Held,
    remote: RemoteMedia | undefined,
    handset: HandsetSpeechToText | undefined,
  ): Leg => {
    if (entry.kind === "web")
      return webLeg({
        say: (frame) => send({ say: "sound", call, sound: Buffer.from(frame).toString("base64") }),
        clear: () => send({ say: "clear", call }),
      });
    if (entry.contact) return handsetLeg(entry.contact, parts.sayLine, handset?.spoken);
    return openRtpLeg(entry.port!, remote!, {
      clock: systemClock,
      random: randomBytes,
      count: parts.count,
      press: (digits) => send({ say: "press", call, digits }),
    });
  };

  const begin = (call: Uuid, answeredAt: Date, remote: RemoteMedia | undefined) => {
    const entry = held.get(call);
    if (!entry || entry.isOver || entry.sound) return;
    const { plan } = entry;
    const dialog = parts.dialogs(plan);
    const handset = entry.contact && !parts.speechToText ? handsetSpeechToText() : undefined;
    const speechToText = parts.speechToText ?? handset!;
    entry.leg = legOf(call, entry, remote, handset);
    entry.speechToText = speechToText.name;
    const sound = callSound({
      plan,
      leg: entry.leg,
      dialog,
      voice: parts.voice,
      speechToText,
      openDetector: parts.openDetector,
      ambient: plan.agent.ambient_sound
        ? createAmbient(plan.agent.ambient_sound as AmbientSound, plan.agent.ambient_sound_volume, Math.random())
        : undefined,
      recorder: entry.recorder,
      answeredAt,
      clock: systemClock.now,
      after: systemClock.after,
      // An opt-out that could not be committed is not confirmed: the session gets an error.
      report: async (event) => {
        const ok = await ask((id) => ({ say: "event", call, id, event }));
        if (!ok) throw new Error(`${event.kind} could not be recorded`);
      },
      transfer: (to) => ask((id) => ({ say: "transfer", call, id, to })),
    });
    entry.sound = sound;
    const stop = parts.schedule((skipped) => sound.tick(skipped));
    sound.ended.then(async (result) => {
      stop();
      await finish(call, entry, dialog, result);
    });
  };

  const finish = async (call: Uuid, entry: Held, dialog: CallDialog, result: Awaited<CallSound["ended"]>) => {
    const { speechToTextMs, voiceCharacters, ...outcome } = result;
    const facts = await entry.recorder?.finish().catch((err) => {
      log.error({ err, call }, "a recording could not be written");
      return undefined;
    });
    held.delete(call);
    const { answerer, ...rest } = outcome;
    const whole: SoundResult = {
      ...rest,
      ...(answerer ? { answerer } : {}),
      ...(entry.speechToText ? { speechToText: entry.speechToText } : {}),
      usage: { speechToTextMs, voiceCharacters, ...dialog.usage },
      ...(facts
        ? {
            recording: {
              file: openRecordingFile(parts.recordings, call),
              bytes: facts.bytes,
              durationMs: Math.round(facts.durationMs),
            },
          }
        : {}),
    };
    send({ say: "ended", call, result: whole });
  };

  /** Drops a call that was never answered: closes its leg, and removes its empty recording. */
  const drop = async (call: Uuid, entry: Held) => {
    entry.isOver = true;
    entry.port?.close();
    held.delete(call);
    await entry.recorder?.finish().catch(() => {});
    await dropRecording(parts.recordings, call).catch(() => {});
    send({ say: "ended", call, result: NOTHING_SAID });
  };

  return {
    count: () => held.size,
    take(order) {
      const mine = held.get(order.call);
      switch (order.do) {
        case "open":
          open(order.call, order.plan, order.leg);
          break;
        case "begin":
          begin(order.call, new Date(order.answeredAt), order.remote);
          break;
        case "move":
          mine?.leg?.update?.(order.remote);
          break;
        case "receive-audio":
          mine?.leg?.receiveAudio?.(Buffer.from(order.sound, "base64"));
          break;
        case "digit":
          mine?.sound?.digit(order.digit);
          break;
        case "inject":
          mine?.sound?.inject(order.text);
          break;
        case "end":
          if (mine?.sound) mine.sound.end(order.reason);
          else if (mine && !mine.isOver) drop(order.call, mine);
          break;
        case "answer":
          asked.get(order.id)?.resolve(order.ok);
          asked.delete(order.id);
          break;
      }
    },
  };
}
