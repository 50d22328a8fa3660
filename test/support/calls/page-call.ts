import { WebSocket } from "ws";
import { fliteVoice } from "#adapters/offline-speech/voice.ts";
import { handsetLeg } from "#adapters/simulator/handset-leg.ts";
import { spokenWhole } from "#media/audio/spoken.ts";
import type { ScriptedContact } from "#ports/scripted-contact.ts";

// biome-ignore lint/suspicious/noExplicitAny: a message is whatever JSON came; tests assert what it should be.
export type Received = any;

export type PageCall = {
  /** What the service has said, in order. */
  received: Received[];
  /** Gets every frame of the agent's sound. */
  hears(listener: (frame: Buffer) => void): void;
  say(message: object | Uint8Array): void;
  /** Resolves to the code that it was closed with. */
  closed: Promise<number>;
  close(): void;
};

/** Opens the socket of a call as a page would. Rejects with the status where that is refused. */
export function openPageCall(
  url: string,
  headers: Record<string, string>,
  path = "/v1/playground/calls",
): Promise<PageCall> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}${path}`, { headers });
  const received: Received[] = [];
  const { promise: closed, resolve: over } = Promise.withResolvers<number>();
  socket.on("close", over);
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    if (!isBinary) received.push(JSON.parse(data.toString()));
  });
  const call: PageCall = {
    received,
    hears: (listener) => void socket.on("message", (data: Buffer, isBinary) => isBinary && listener(data)),
    say: (message) => socket.send(message instanceof Uint8Array ? message : JSON.stringify(message)),
    closed,
    close: () => socket.close(),
  };
  return new Promise((resolve, reject) => {
    socket.on("open", () => resolve(call));
    socket.on("error", () => {});
    socket.on("unexpected-response", (_, { statusCode }) => reject(Object.assign(new Error(), { statusCode })));
  });
}

/** Speaks into a call as somebody at a microphone does: waits until the agent has finished, and says the next line. */
export function speakInto(
  call: PageCall,
  contact: Pick<ScriptedContact, "greeting" | "says" | "hangsUpWhenDone">,
): () => Promise<void> {
  const voice = fliteVoice();
  const options = { voiceId: "offline-rms", language: "en-US", speed: 1, temperature: 1 };
  const signal = new AbortController().signal;
  const leg = handsetLeg({ answerer: "human", ...contact } as ScriptedContact, (line) =>
    spokenWhole(voice, line, options, signal),
  );
  leg.listen({
    packet: (_, __, payload) => call.say(payload.slice()),
    dtmf() {},
    ended: () => call.say({ type: "hangup" }),
  });
  call.hears((frame) => leg.send(frame));
  return () => voice.close();
}
