import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { fliteVoice } from "#adapters/offline-speech/voice.ts";
import { decodeUlaw, encodeUlaw, ULAW_SILENCE } from "#domain/calls/g711.ts";
import { spokenWhole } from "#media/audio/spoken.ts";

// The other side of measured calls, in a process of its own: telephones that speak RTP, speech-to-text that answers as Deepgram's does, and a model.

export type ToTelephones =
  | { do: "call"; at: number; port: number }
  | { do: "begin"; interrupts: boolean }
  /** One hangs up, or all. */
  | { do: "end"; at?: number }
  | { do: "report" };

export type FromTelephones =
  | { say: "ready"; url: string }
  | { say: "phone"; at: number; port: number }
  | { say: "report"; received: number; lateMs: number[]; bargeInMs: number[] };

const FRAME = 160;
const FRAME_MS = 20;
const HEADER = 12;
/** They say hello, listen, and then speak so often, each at its own time. */
const HELLO_AT_MS = 400;
const SPEAKS_EVERY_MS = 7_000;
/** Interrupters speak when the agent has spoken for this long. */
const INTERRUPT_AFTER_MS = 600;
const LOUD = 500 ** 2;
/** The agent speaks: louder than any moment of the room around it (-34 dBFS). */
const AGENT_LOUD = 1_000 ** 2;
/** What a quiet line hisses while nobody speaks: -55 dBFS. */
const HISS = 100;
const hiss = new Uint8Array(50 * FRAME);
encodeUlaw(
  Int16Array.from({ length: hiss.length }, () => HISS * (2 * Math.random() - 1)),
  hiss,
);
/** The agent is silent when it has been for this long, which is more than between its sentences; the time counts from the beginning of it. */
const SILENT_MS = 1_000;

type Phone = {
  socket: Socket;
  at: number;
  port: number;
  packet: Buffer;
  sequence: number;
  frame: number;
  words: Uint8Array;
  /** The position in its words; -1 while it is silent. */
  spoken: number;
  lastAt: number;
  agentFrames: number;
  quietAt: number;
  interruptedAt: number;
};

const phones: Phone[] = [];
const decoded = new Int16Array(FRAME);
let received = 0;
let lateMs: number[] = [];
let bargeInMs: number[] = [];
let interrupts = false;
let hello: Uint8Array = new Uint8Array();
let words: Uint8Array = new Uint8Array();
let timer: NodeJS.Timeout | undefined;

/** Words from their first loud frame on: what a voice begins with is no speech yet. */
async function speech(text: string): Promise<Uint8Array> {
  const voice = fliteVoice();
  const options = { voiceId: "offline-rms", language: "en-US", speed: 1, temperature: 1 };
  const { samples } = await spokenWhole(voice, text, options, AbortSignal.timeout(60_000));
  await voice.close();
  let from = 0;
  while (powerOf(samples.subarray(from, from + FRAME)) < LOUD) from += FRAME;
  const words = samples.subarray(from);
  const coded = new Uint8Array(Math.ceil(words.length / FRAME) * FRAME).fill(ULAW_SILENCE);
  encodeUlaw(words, coded);
  return coded;
}

function powerOf(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return sum / FRAME;
}

async function phone(at: number, port: number): Promise<void> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const packet = Buffer.alloc(HEADER + FRAME, ULAW_SILENCE);
  packet.writeUInt16BE(0x8000, 0);
  packet.writeUInt32BE(at + 1, 8);
  const self: Phone = {
    socket,
    at,
    port,
    packet,
    sequence: 0,
    frame: 0,
    words: hello,
    spoken: -1,
    lastAt: 0,
    agentFrames: 0,
    quietAt: 0,
    interruptedAt: 0,
  };
  socket.on("message", (message) => receive(self, message));
  phones.push(self);
  process.send!({ say: "phone", at, port: (socket.address() as AddressInfo).port } satisfies FromTelephones);
}

function receive(self: Phone, message: Buffer): void {
  if (message.length !== HEADER + FRAME) return;
  received++;
  const now = performance.now();
  if (self.lastAt > 0 && received % 8 === 0) lateMs.push(Math.abs(now - self.lastAt - FRAME_MS));
  self.lastAt = now;
  if (!interrupts || self.at % 5 !== 0) return;
  decodeUlaw(message.subarray(HEADER), decoded);
  if (powerOf(decoded) >= AGENT_LOUD) {
    self.agentFrames++;
    self.quietAt = 0;
    if (self.agentFrames * FRAME_MS === INTERRUPT_AFTER_MS && self.spoken < 0) {
      self.spoken = 0;
      self.words = words;
      self.interruptedAt = 0;
    }
    return;
  }
  self.quietAt ||= now;
  if (now - self.quietAt < SILENT_MS) return;
  self.agentFrames = 0;
  if (self.interruptedAt > 0 && self.quietAt > self.interruptedAt) bargeInMs.push(self.quietAt - self.interruptedAt);
  self.interruptedAt = 0;
}

function speak(self: Phone): void {
  const atMs = self.frame++ * FRAME_MS;
  const own = (self.at * 137) % SPEAKS_EVERY_MS;
  const isInterrupter = interrupts && self.at % 5 === 0;
  if (
    self.spoken < 0 &&
    (atMs === HELLO_AT_MS || (!isInterrupter && atMs > 6_000 && (atMs + own) % SPEAKS_EVERY_MS < FRAME_MS))
  ) {
    self.spoken = 0;
    self.words = atMs === HELLO_AT_MS ? hello : words;
  }
  const packet = Buffer.from(self.packet);
  packet.writeUInt16BE(self.sequence & 0xffff, 2);
  packet.writeUInt32BE((self.sequence * FRAME) >>> 0, 4);
  self.sequence++;
  if (self.spoken >= 0) {
    if (self.spoken === 0 && isInterrupter) self.interruptedAt = performance.now();
    packet.set(self.words.subarray(self.spoken, self.spoken + FRAME), HEADER);
    self.spoken = self.spoken + FRAME >= self.words.length ? -1 : self.spoken + FRAME;
  } else {
    const at = ((self.at + self.frame) % 50) * FRAME;
    packet.set(hiss.subarray(at, at + FRAME), HEADER);
  }
  self.socket.send(packet, self.port, "127.0.0.1");
}

const AMOUNTS = ["two", "three", "four", "five", "six", "seven", "eight", "nine"];

/**
 * Speech-to-text that ignores the sound and answers at once: its time is not measured, its socket is. Its words differ from turn to turn, since an
 * agent ends a call with somebody who says the same again and again.
 */
function listens(client: WebSocket): void {
  let bytes = 0;
  let guessedAt = 0;
  let turn = 0;
  const results = (more: object) => {
    const end = bytes / 16_000;
    const said =
      turn === 0 ? ["hello"] : ["that", "is", "right", AMOUNTS[turn % AMOUNTS.length]!, "hundred", "dollars"];
    const recognised = said.map((word, i) => ({
      word,
      start: Math.max(0, end - 1.4 + i * 0.2),
      end: Math.max(0, end - 1.25 + i * 0.2),
      confidence: 0.9,
      punctuated_word: word,
    }));
    const transcript = recognised.map(({ word }) => word).join(" ");
    const channel = { alternatives: [{ transcript, confidence: 0.9, words: recognised }] };
    client.send(JSON.stringify({ type: "Results", start: 0, duration: end, channel, ...more }));
  };
  client.on("message", (data, isBinary) => {
    if (!isBinary) {
      const { type } = JSON.parse(String(data)) as { type: string };
      if (type === "Finalize") {
        results({ is_final: true, from_finalize: true, speech_final: true });
        turn++;
      }
      if (type === "CloseStream") client.close(1000);
      return;
    }
    const sound = data as Buffer;
    bytes += sound.length;
    let power = 0;
    for (let i = 0; i + 1 < sound.length; i += 64) power += sound.readInt16LE(i) ** 2;
    if (power / (sound.length / 64) < LOUD || bytes - guessedAt < 8_000) return;
    guessedAt = bytes;
    results({ is_final: false, speech_final: false });
  });
}

const ANSWER = ["I see.", " And is there", " anything else that", " you can tell me", " about it?"];

/** A model that answers at once, word by word, and never ends a conversation: its time is no part of what is measured. */
const http = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (delta: object, finish: string | null) =>
      response.write(
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 0, model: "stand-in", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    for (const content of ANSWER) chunk({ role: "assistant", content }, null);
    chunk({}, "stop");
    response.end("data: [DONE]\n\n");
  });
});
new WebSocketServer({ server: http }).on("connection", listens);
http.listen(0, "127.0.0.1");
await once(http, "listening");
hello = await speech("Hello?");
words = await speech("That is right, five hundred thousand dollars");

process.on("message", async (message) => {
  const order = message as ToTelephones;
  switch (order.do) {
    case "call":
      await phone(order.at, order.port);
      break;
    case "begin": {
      interrupts = order.interrupts;
      clearInterval(timer);
      // Spread over the 20 ms, as telephones are.
      let turn = 0;
      let due = performance.now();
      timer = setInterval(() => {
        for (; due <= performance.now(); due += FRAME_MS / 10, turn = (turn + 1) % 10) {
          for (let i = turn; i < phones.length; i += 10) speak(phones[i]!);
        }
      }, 2);
      break;
    }
    case "end":
      if (order.at === undefined) clearInterval(timer);
      for (const phone of phones.splice(0)) {
        if (order.at === undefined || phone.at === order.at) phone.socket.close();
        else phones.push(phone);
      }
      break;
    case "report":
      process.send!({ say: "report", received, lateMs, bargeInMs } satisfies FromTelephones);
      received = 0;
      lateMs = [];
      bargeInMs = [];
      break;
  }
});
process.on("disconnect", () => process.exit(0));
const { port } = http.address() as AddressInfo;
process.send!({ say: "ready", url: `http://127.0.0.1:${port}` } satisfies FromTelephones);
