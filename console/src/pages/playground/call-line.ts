import type { Static } from "typebox";
import { ApiError } from "#api/error.ts";
import type * as contract from "#contract/playground-calls.ts";
import { type CallAudio, openCallAudio } from "./call-audio.ts";
import { sentenceOf } from "./turn.ts";

export type CallStart = Omit<Static<typeof contract.CallStart>, "type">;
type Told = Static<typeof contract.CallTold>;
export type Utterance = Extract<Told, { type: "utterance" }>;
export type CallEnd = Extract<Told, { type: "ended" }>;

/** `closed` comes last, also when nothing was begun. */
export type LineEvent = Exclude<Told, { type: "error" }> | { type: "failed"; failure: string } | { type: "closed" };

export type CallLine = {
  mute: (isMuted: boolean) => void;
  /** The sound is off at once; what the call came to is still told. */
  hangUp: () => void;
  /** Lets go of everything, and tells nothing more. */
  release: () => void;
};

/** A service that says nothing of the end for so long is gone. */
const END_PATIENCE_MS = 5_000;

/** Calls an agent: microphone first, then the service, which speaks as soon as it has `started`. */
export function openCallLine(
  start: CallStart,
  onEvent: (event: LineEvent) => void,
  onLevel: (level: number) => void,
): CallLine {
  let audio: CallAudio | undefined;
  let socket: WebSocket | undefined;
  let state: "calling" | "talking" | "ended" | "closed" = "calling";
  let patience: ReturnType<typeof setTimeout> | undefined;

  const release = () => {
    state = "closed";
    clearTimeout(patience);
    audio?.close();
    socket?.close();
  };
  const finish = (failure?: string) => {
    if (state === "closed") return;
    release();
    if (failure !== undefined) onEvent({ type: "failed", failure });
    onEvent({ type: "closed" });
  };
  const take = (told: Told) => {
    if (told.type === "error") return finish(sentenceOf(new ApiError(0, told.code, told.error, told.details)));
    if (told.type === "started") state = "talking";
    if (told.type === "ended") {
      state = "ended";
      clearTimeout(patience);
      // The agent's last words may still be waiting to be heard.
      audio?.stopMicrophone();
    }
    onEvent(told);
  };
  const connect = () => {
    const opened = new WebSocket(`${location.origin.replace(/^http/, "ws")}/v1/playground/calls`);
    opened.binaryType = "arraybuffer";
    opened.onopen = () => opened.send(JSON.stringify({ type: "start", ...start }));
    opened.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (state === "closed") return;
      if (typeof data === "string") take(JSON.parse(data));
      else audio?.play(data);
    };
    opened.onclose = () => finish(FAILURES[state]);
    socket = opened;
  };

  openCallAudio(({ frame, level }) => {
    onLevel(level);
    if (state === "talking" && socket?.readyState === WebSocket.OPEN) socket.send(frame);
  }).then(
    (opened) => {
      audio = opened;
      if (state === "closed") opened.close();
      else connect();
    },
    (error: Error) => finish(error.message),
  );

  return {
    mute: (isMuted) => audio?.mute(isMuted),
    hangUp() {
      if (state === "calling") return finish();
      socket?.send(JSON.stringify({ type: "hangup" }));
      audio?.close();
      patience = setTimeout(() => finish(FAILURES.talking), END_PATIENCE_MS);
    },
    release,
  };
}

/** What it means that the line is closed, by what went on. */
const FAILURES: Readonly<Record<string, string>> = {
  calling: "The call could not be begun.",
  talking: "The connection was lost, and the call with it.",
};
