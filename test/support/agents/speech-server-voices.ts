import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { WebSocket } from "ws";
import type { SpeechBehavior, SpeechRequest } from "./speech-server.ts";

/** Samples of one piece: a rising line, so that a lost or doubled byte shows. */
export const PIECE_SAMPLES = 1_600;
export const PIECES = 4;

/** The sound of all pieces together. */
export const standInSound = (pieces: number = PIECES): Int16Array =>
  Int16Array.from({ length: PIECE_SAMPLES * pieces }, (_, index) => (index % 60_000) - 30_000);

const bytesOf = (samples: Int16Array): Buffer => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

/** Hands out the sound's bytes in odd pieces, as networks do, as the behaviour says. */
async function sound(behavior: SpeechBehavior, put: (bytes: Buffer) => unknown, cut: () => void): Promise<boolean> {
  const pieces = behavior.kind === "good" ? (behavior.pieces ?? PIECES) : PIECES;
  const bytes = bytesOf(standInSound(pieces));
  const cuts = [
    0,
    ...Array.from({ length: pieces - 1 }, (_, index) => (index + 1) * PIECE_SAMPLES * 2 + 1),
    bytes.length,
  ];
  for (let index = 0; index < pieces; index++) {
    if (index > 0 && behavior.kind === "good" && behavior.pauseMs) await pause(behavior.pauseMs);
    if (index === 2 && behavior.kind === "stall") return false;
    if (index === 2 && behavior.kind === "drop") {
      // What was written before is to arrive.
      await pause(20);
      cut();
      return false;
    }
    put(bytes.subarray(cuts[index]!, cuts[index + 1]!));
    await pause(1);
  }
  return true;
}

async function raw(response: ServerResponse, behavior: SpeechBehavior, contentType: string): Promise<void> {
  response.writeHead(200, { "content-type": contentType });
  if (behavior.kind === "endless") {
    while (!response.destroyed) {
      if (response.write(Buffer.alloc(65_536))) await pause(0);
      else await Promise.race([new Promise((resolve) => response.once("drain", resolve)), pause(50)]);
    }
    return;
  }
  if (
    await sound(
      behavior,
      (bytes) => response.write(bytes),
      () => response.destroy(),
    )
  )
    response.end();
}

export function deepgramSpeaks(
  request: SpeechRequest,
  response: ServerResponse,
  behavior: SpeechBehavior,
): Promise<void> {
  const { text } = JSON.parse(String(request.body)) as { text: string };
  if (!text) response.destroy();
  return raw(response, behavior, "audio/l16;rate=8000");
}

export function openAiSpeaks(_it: SpeechRequest, response: ServerResponse, behavior: SpeechBehavior): Promise<void> {
  return raw(response, behavior, "audio/pcm");
}

/** One line of JSON a piece; the times of characters count from the sentence's begin, 50 ms a character. */
export async function elevenLabsSpeaks(
  request: SpeechRequest,
  response: ServerResponse,
  behavior: SpeechBehavior,
): Promise<void> {
  const { text } = JSON.parse(String(request.body)) as { text: string };
  const share = Math.ceil(text.length / PIECES);
  let at = 0;
  response.writeHead(200, { "content-type": "application/json" });
  const put = (bytes: Buffer) => {
    const characters = [...text.slice(at, at + share)];
    const times = characters.map((_, index) => (at + index) * 0.05);
    at += share;
    const line = JSON.stringify({
      audio_base64: bytes.toString("base64"),
      alignment: {
        characters,
        character_start_times_seconds: times,
        character_end_times_seconds: times.map((time) => time + 0.05),
      },
    });
    // A line may come in two halves.
    response.write(line.slice(0, 40));
    response.write(`${line.slice(40)}\n`);
  };
  if (await sound(behavior, put, () => response.destroy())) response.end();
}

/** Contexts over one WebSocket; a cancelled one gets nothing more. */
export function cartesiaSpeaks(client: WebSocket, behavior: SpeechBehavior): void {
  const cancelled = new Set<string>();
  client.on("message", async (data) => {
    const { context_id, cancel, transcript } = JSON.parse(String(data)) as Record<string, string>;
    if (cancel) return void cancelled.add(context_id!);
    const send = (message: object) => {
      if (!cancelled.has(context_id!))
        client.send(JSON.stringify({ context_id, status_code: 206, done: false, ...message }));
    };
    if (transcript === "refuse") {
      return send({
        type: "error",
        done: true,
        status_code: 400,
        error_code: "model_not_found",
        message: `no: ${transcript}`,
      });
    }
    const words = transcript!.split(" ");
    send({
      type: "timestamps",
      word_timestamps: {
        words,
        start: words.map((_, index) => index * 0.2),
        end: words.map((_, index) => index * 0.2 + 0.15),
      },
    });
    const put = (bytes: Buffer) => send({ type: "chunk", data: bytes.toString("base64"), step_time: 1 });
    if (await sound(behavior, put, () => client.terminate())) send({ type: "done", done: true });
  });
}
