import { randomBytes } from "node:crypto";
import { handsetLeg } from "#adapters/simulator/handset-leg.ts";
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
import { type FromChild, type LegPlan, NOTHING_SAID, type SoundResult, type ToChild } from "./protocol.ts";
import { dropRecording, openRecordingFile } from "./recordings.ts";
import { type WebLeg, webLeg } from "./web-leg.ts";

export type RoomParts = Pick<CallSoundParts, "voice" | "speechToText" | "openDetector"> & {
  dialogs: CallDialogs;
  /** A handset's line as sound at 8 kHz. */
  sayLine(line: string): Promise<Int16Array>;
  /** Calls `tick` for each frame, every 20 ms, until the returned function is called. */
  schedule(tick: (skipped: number) => void): () => void;
  recordings: string;
  rtp: { address: string; publicAddress?: string; range: readonly [number, number] };
  send(it: FromChild): void;
  /** Something of a call's packets was dropped. */
  count(drop: NetworkDrop): void;
  log: Log;
};

/** An RTP leg can also be moved to another address, and a web leg takes audio. */
type Leg = MediaLeg & Partial<Pick<RtpLeg, "update"> & Pick<WebLeg, "hear">>;

type Held = {
  plan: CallPlan;
  kind: LegPlan["kind"];
  port?: RtpPort | undefined;
  contact?: ScriptedContact | undefined;
  recorder?: Recorder | undefined;
  sound?: CallSound;
  leg?: Leg;
  isOver: boolean;
};

/** The calls of one child process: carries out the node's commands, and reports events to it. */
export function createRoom(parts: RoomParts): { take(it: Exclude<ToChild, { do: "report" }>): void; calls(): number } {
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
    const it: Held = { plan, kind: leg.kind, isOver: false };
    held.set(call, it);
    try {
      if (plan.agent.record)
        it.recorder = await createRecorder(openRecordingFile(parts.recordings, call), Math.random());
      if (leg.kind === "handset") it.contact = leg.contact;
      if (leg.kind === "rtp") {
        it.port = await openRtpPort({
          ...parts.rtp,
          codecs: ["PCMU", "PCMA"],
          hasSrtp: leg.srtp,
          random: randomBytes,
        });
      }
      if (it.isOver) return it.port?.close();
      send({ say: "opened", call, ...(it.port ? { local: it.port.local } : {}) });
    } catch (error) {
      held.delete(call);
      await it.recorder?.finish().catch(() => {});
      send({ say: "opened", call, error: (error as Error).message });
    }
  };

  const legOf = (call: Uuid, it: Held, remote: RemoteMedia | undefined): Leg => {
    if (it.kind === "web")
      return webLeg((frame) => send({ say: "sound", call, sound: Buffer.from(frame).toString("base64") }));
    if (it.contact) return handsetLeg(it.contact, parts.sayLine);
    return openRtpLeg(it.port!, remote!, { clock: systemClock, random: randomBytes, count: parts.count });
  };

  const begin = (call: Uuid, answeredAt: Date, remote: RemoteMedia | undefined) => {
    const it = held.get(call);
    if (!it || it.isOver || it.sound) return;
    const { plan } = it;
    const dialog = parts.dialogs(plan);
    it.leg = legOf(call, it, remote);
    const sound = callSound({
      plan,
      leg: it.leg,
      dialog,
      voice: parts.voice,
      speechToText: parts.speechToText,
      openDetector: parts.openDetector,
      ambient: plan.agent.ambient_sound
        ? createAmbient(plan.agent.ambient_sound as AmbientSound, plan.agent.ambient_sound_volume, Math.random())
        : undefined,
      recorder: it.recorder,
      answeredAt,
      clock: () => performance.now(),
      // An opt-out that could not be committed is not confirmed: the session gets an error.
      report: async (event) => {
        const ok = await ask((id) => ({ say: "event", call, id, event }));
        if (!ok) throw new Error(`${event.kind} could not be recorded`);
      },
      transfer: (to) => ask((id) => ({ say: "transfer", call, id, to })),
    });
    it.sound = sound;
    const stop = parts.schedule((skipped) => sound.tick(skipped));
    sound.ended.then(async (result) => {
      stop();
      await finish(call, it, dialog, result);
    });
  };

  const finish = async (call: Uuid, it: Held, dialog: CallDialog, result: Awaited<CallSound["ended"]>) => {
    const { speechToTextMs, voiceCharacters, ...outcome } = result;
    const facts = await it.recorder?.finish().catch((err) => {
      log.error({ err, call }, "a recording could not be written");
      return undefined;
    });
    held.delete(call);
    const { answerer, ...rest } = outcome;
    const whole: SoundResult = {
      ...rest,
      ...(answerer ? { answerer } : {}),
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
  const drop = async (call: Uuid, it: Held) => {
    it.isOver = true;
    it.port?.close();
    held.delete(call);
    await it.recorder?.finish().catch(() => {});
    await dropRecording(parts.recordings, call).catch(() => {});
    send({ say: "ended", call, result: NOTHING_SAID });
  };

  return {
    calls: () => held.size,
    take(it) {
      const mine = held.get(it.call);
      switch (it.do) {
        case "open":
          open(it.call, it.plan, it.leg);
          break;
        case "begin":
          begin(it.call, new Date(it.answeredAt), it.remote);
          break;
        case "move":
          mine?.leg?.update?.(it.remote);
          break;
        case "hear":
          mine?.leg?.hear?.(Buffer.from(it.sound, "base64"));
          break;
        case "digit":
          mine?.sound?.digit(it.digit);
          break;
        case "inject":
          mine?.sound?.inject(it.text);
          break;
        case "end":
          if (mine?.sound) mine.sound.end(it.reason);
          else if (mine && !mine.isOver) drop(it.call, mine);
          break;
        case "answer":
          asked.get(it.id)?.resolve(it.ok);
          asked.delete(it.id);
          break;
      }
    },
  };
}
