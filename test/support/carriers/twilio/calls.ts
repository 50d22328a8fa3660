import { once } from "node:events";
// Twilio's own package signs.
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { WebSocket } from "ws";
import { fliteVoice } from "#adapters/offline-speech/voice.ts";
import { handsetLeg } from "#adapters/simulator/handset-leg.ts";
import { FRAME_SAMPLES, ulawToSample } from "#domain/calls/g711.ts";
import { spokenWhole } from "#media/audio/spoken.ts";
import type { ScriptedContact } from "#ports/scripted-contact.ts";
import { playedIn } from "./telephone.ts";

type Item = Record<string, unknown>;
type Answer = { status: number; body: Item } | { refuse: number } | "reset" | undefined;

/** What a telephone does: turns a call away with a status of SIP's, or answers and speaks. */
export type Telephone =
  | { does: "busy" | "no-answer" | "failed" | "canceled"; sip?: number }
  | ({ does: "answers" } & Partial<
      Pick<ScriptedContact, "greeting" | "says" | "hangsUpWhenDone" | "answerer" | "interruptsAfterMs">
    > & {
        /** Of its sound, where it is not what Twilio has. */
        encoding?: string;
      })
  /** The create is refused with this code of Twilio's. */
  | { does: "refused"; code: number }
  /** Placed, and rings, but the answer to the create is lost. `reports`: the call's states are reported all the same. */
  | { does: "loses-answer"; reports: boolean }
  /** Not placed, and the answer to the create is lost. */
  | { does: "loses-request" };

/** A call at Twilio. */
export type PlacedCall = Item & {
  sid: string;
  to: string;
  from: string;
  status: string;
  /** Messages that the service sent over the stream, but for sound. */
  said: { event: string; mark?: { name: string } }[];
  /** Frames of the agent's, and those of them in which it speaks. */
  frames: number;
  loudFrames: number;
  socket: WebSocket | undefined;
  streamSid: string;
  callback: string | undefined;
  /** Its TwiML. */
  twiml: string;
};

export type CallsStandIn = {
  calls: PlacedCall[];
  telephones: Map<string, Telephone>;
  /** The public address of the service, and where it is. */
  reached: { from: string; at: string } | undefined;
  token(): string;
  /** Somebody calls one of the account's numbers, whose webhook this is; the TwiML that it was answered with. */
  callIn(url: string, fields: { from: string; to: string; sid: string }, telephone: Telephone): Promise<PlacedCall>;
  press(call: PlacedCall, digit: string): void;
  /** The telephone hangs up. */
  hangUp(call: PlacedCall): void;
  /** Plays Twilio's part in a stream that a TwiML connects. */
  connect(call: PlacedCall, telephone: Extract<Telephone, { does: "answers" }>): Promise<void>;
  close(): void;
};

const ACCOUNT = `AC${"a1".repeat(16)}`;
const parameterOf = (twiml: string) => /<Parameter name="ticket" value="([^"]*)"/.exec(twiml)?.[1] ?? "";
export const streamOf = (twiml: string) => /<Stream url="([^"]+)"/.exec(twiml)?.[1];

const SPEAKS = { voiceId: "offline-rms", language: "en-US", speed: 1, temperature: 1 };

/** Of 16-bit samples: a room around a voice stays below. */
const LOUD = 2_000;

/** Of the silence beside a line. */
const AROUND_MS = 1_500;

/** What a telephone's line sounds like, for a speech-to-text that knows all that may be said to it. */
export async function soundsOf(lines: readonly string[]) {
  const voice = fliteVoice();
  const { signal } = new AbortController();
  const sounds = await Promise.all(
    lines.map(async (line) => {
      const spoken = await spokenWhole(voice, line, SPEAKS, signal);
      // What is listened to begins before the first word and goes on after the last.
      const samples = new Int16Array(spoken.samples.length + 2 * AROUND_MS * 8);
      samples.set(spoken.samples, AROUND_MS * 8);
      const words = line.split(" ");
      // Evenly: this voice does not say when its words are.
      const eachMs = spoken.samples.length / 8 / words.length;
      return { samples, words: words.map((word, i) => ({ word, endMs: AROUND_MS + eachMs * (i + 1) })) };
    }),
  );
  await voice.close();
  return sounds;
}

/** Twilio's calls: their REST resource, their reports, and its end of a Media Stream, with a telephone that speaks and listens. */
export function callsStandIn(token: () => string): CallsStandIn {
  const voice = fliteVoice();
  const signal = new AbortController();
  let serial = 0;
  const standIn: CallsStandIn = {
    calls: [],
    telephones: new Map(),
    reached: undefined,
    token,
    async callIn(url, { from, to, sid }, telephone) {
      const call = aCall({ sid, from, to, direction: "inbound", callback: undefined, twiml: "" });
      standIn.calls.push(call);
      const fields = {
        AccountSid: ACCOUNT,
        CallSid: sid,
        From: from,
        To: to,
        CallStatus: "ringing",
        Direction: "inbound",
      };
      const answer = await fetch(local(url), {
        method: "POST",
        headers: { "x-twilio-signature": getExpectedTwilioSignature(token(), url, fields) },
        body: new URLSearchParams(fields),
      });
      call.twiml = await answer.text();
      if (streamOf(call.twiml) && telephone.does === "answers") await standIn.connect(call, telephone);
      return call;
    },
    press: (call, digit) =>
      call.socket?.send(
        JSON.stringify({ event: "dtmf", streamSid: call.streamSid, dtmf: { track: "inbound_track", digit } }),
      ),
    hangUp(call) {
      const stop = { event: "stop", streamSid: call.streamSid, stop: { accountSid: ACCOUNT, callSid: call.sid } };
      call.socket?.send(JSON.stringify(stop));
      call.socket?.close();
    },
    async connect(call, telephone) {
      const url = streamOf(call.twiml)!;
      const socket = new WebSocket(local(url), {
        headers: { "x-twilio-signature": getExpectedTwilioSignature(token(), url, {}) },
      });
      call.socket = socket;
      call.streamSid = `MZ${(++serial).toString(16).padStart(32, "0")}`;
      socket.on("error", () => {});
      socket.on("close", () => over(call));
      const isOpen = await once(socket, "open").then(
        () => true,
        () => false,
      );
      if (!isOpen) return;
      const { streamSid } = call;
      const send = (message: object) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(message));
      send({ event: "connected", protocol: "Call", version: "1.0.0" });
      send({
        ...{ event: "start", sequenceNumber: "1", streamSid },
        start: {
          ...{ streamSid, accountSid: ACCOUNT, callSid: call.sid, tracks: ["inbound"] },
          customParameters: { ticket: parameterOf(call.twiml) },
          mediaFormat: { encoding: telephone.encoding ?? "audio/x-mulaw", sampleRate: 8000, channels: 1 },
        },
      });
      call.status = "in-progress";
      const leg = handsetLeg({ answerer: "human", says: [], ...telephone } as ScriptedContact, (line) =>
        spokenWhole(voice, line, SPEAKS, signal.signal),
      );
      const line = playedIn(leg, (name) => send({ event: "mark", streamSid, mark: { name } }));
      socket.on("close", line.end);
      let chunk = 0;
      leg.listen({
        packet: (_, timestamp, payload) =>
          send({
            ...{ event: "media", sequenceNumber: String(chunk + 2), streamSid },
            media: {
              ...{ track: "inbound", chunk: String(++chunk), timestamp: String(timestamp / 8) },
              payload: Buffer.from(payload).toString("base64"),
            },
          }),
        dtmf() {},
        ended() {
          standIn.hangUp(call);
        },
      });
      socket.on("message", (data: Buffer) => {
        const message = JSON.parse(data.toString());
        if (message.event === "media") {
          const frame = Buffer.from(message.media.payload, "base64");
          call.frames++;
          if (frame.some((code) => Math.abs(ulawToSample(code)) > LOUD)) call.loudFrames++;
          if (frame.length === FRAME_SAMPLES) line.frame(frame);
          return;
        }
        call.said.push(message);
        if (message.event === "mark") line.mark(message.mark.name);
        else if (message.event === "clear") line.clear();
      });
    },
    close() {
      signal.abort();
      for (const { socket } of standIn.calls) socket?.terminate();
      void voice.close();
    },
  };

  const local = (url: string) =>
    standIn.reached && url.startsWith(standIn.reached.from.replace(/^http/, url.startsWith("ws") ? "ws" : "http"))
      ? url.replace(
          standIn.reached.from.replace(/^http/, url.startsWith("ws") ? "ws" : "http"),
          standIn.reached.at.replace(/^http/, url.startsWith("ws") ? "ws" : "http"),
        )
      : url;

  function over(call: PlacedCall): void {
    if (["completed", "busy", "no-answer", "failed", "canceled"].includes(call.status)) return;
    call.status = "completed";
    void report(standIn, call, "completed");
  }
  return standIn;
}

const aCall = (call: Pick<PlacedCall, "sid" | "to" | "from" | "callback" | "twiml"> & Item): PlacedCall => ({
  ...{ account_sid: ACCOUNT, status: "queued", said: [], frames: 0, loudFrames: 0, socket: undefined, streamSid: "" },
  ...call,
});

const reports = new WeakMap<PlacedCall, number>();

/** A report of a call's state, signed. */
export async function report(
  { token }: CallsStandIn,
  call: PlacedCall,
  status: string,
  more: Record<string, string> = {},
): Promise<number> {
  if (call.callback === undefined) return 0;
  const sequence = reports.get(call) ?? 0;
  reports.set(call, sequence + 1);
  const fields = {
    ...{ AccountSid: ACCOUNT, ApiVersion: "2010-04-01", CallSid: call.sid, CallStatus: status },
    ...{ From: call.from, To: call.to, Direction: "outbound-api", SequenceNumber: String(sequence) },
    ...{ CallbackSource: "call-progress-events", Timestamp: new Date().toUTCString() },
    ...more,
  };
  const answer = await fetch(call.callback, {
    method: "POST",
    headers: { "x-twilio-signature": getExpectedTwilioSignature(token(), call.callback, fields) },
    body: new URLSearchParams(fields),
  }).catch(() => undefined);
  return answer?.status ?? 0;
}

const shown = ({
  said: _,
  frames: __,
  loudFrames: ___,
  socket: ____,
  streamSid: _____,
  callback: ______,
  twiml: _______,
  ...call
}: PlacedCall): Item => call;

/** Answers what is of the Calls resource; undefined for anything else. */
export function answerCalls(
  standIn: CallsStandIn,
  { method, path, query, form }: { method: string; path: string; query: URLSearchParams; form: URLSearchParams },
  sidOf: (prefix: string) => string,
  now: Date,
): Answer {
  if (path.endsWith("/Calls.json") && method === "GET") {
    const them = standIn.calls.filter(({ to, from }) => to === query.get("To") && from === query.get("From"));
    return { status: 200, body: { calls: them.map(shown), page: 0, page_size: 50, next_page_uri: null, uri: path } };
  }
  if (path.endsWith("/Calls.json")) return place(standIn, form, sidOf, now);
  const [, sid] = /\/Calls\/(CA\w+)\.json$/.exec(path) ?? [];
  if (sid === undefined) return undefined;
  const call = standIn.calls.find((one) => one.sid === sid);
  if (!call) return { refuse: 20404 };
  if (method === "POST" && form.get("Status") === "completed") {
    if (["queued", "ringing", "in-progress"].includes(call.status)) {
      call.status = call.status === "in-progress" ? "completed" : "canceled";
      void report(standIn, call, call.status);
    }
    call.socket?.close();
  }
  if (method === "POST" && form.has("Twiml")) {
    call.twiml = form.get("Twiml")!;
    call.socket?.send(JSON.stringify({ event: "stop", streamSid: call.streamSid, stop: {} }));
  }
  return { status: 200, body: shown(call) };
}

function place(standIn: CallsStandIn, form: URLSearchParams, sidOf: (prefix: string) => string, now: Date): Answer {
  const to = form.get("To")!;
  const telephone = standIn.telephones.get(to) ?? { does: "no-answer" };
  if (telephone.does === "refused") return { refuse: telephone.code };
  if (telephone.does === "loses-request") return "reset";
  const call = aCall({
    ...{ sid: sidOf("CA"), to, from: form.get("From")!, direction: "outbound-api" },
    ...{ callback: form.get("StatusCallback") ?? undefined, twiml: form.get("Twiml") ?? "" },
    date_created: now.toUTCString().replace("GMT", "+0000"),
  });
  standIn.calls.push(call);
  void course(standIn, call, telephone);
  return telephone.does === "loses-answer" ? "reset" : { status: 201, body: shown(call) };
}

async function course(standIn: CallsStandIn, call: PlacedCall, telephone: Telephone): Promise<void> {
  if (telephone.does === "loses-answer" && !telephone.reports) {
    call.status = "ringing";
    return;
  }
  await report(standIn, call, "initiated");
  call.status = "ringing";
  await report(standIn, call, "ringing");
  if (telephone.does === "loses-answer") {
    call.status = "no-answer";
    await report(standIn, call, "no-answer", { CallDuration: "0" });
  } else if (telephone.does === "answers") {
    await report(standIn, call, "in-progress");
    await standIn.connect(call, telephone);
  } else if (telephone.does !== "refused" && telephone.does !== "loses-request") {
    call.status = telephone.does;
    const sip: Record<string, string> = telephone.sip === undefined ? {} : { SipResponseCode: String(telephone.sip) };
    await report(standIn, call, telephone.does, { CallDuration: "0", ...sip });
  }
}
