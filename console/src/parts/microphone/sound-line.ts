import type { Static } from "typebox";
import { ApiError } from "#api/error.ts";
import type * as contract from "#contract/values/error.ts";
import { type CallAudio, openCallAudio } from "./audio.ts";

type Failed = Static<typeof contract.SocketError>;

/** `closed` comes last, also when nothing was begun. */
export type LineEvent<Message> =
  | Exclude<Message, { type: "error" }>
  | { type: "failed"; error: Error }
  | { type: "closed" };

export type SoundLine = {
  mute: (isMuted: boolean) => void;
  /** The sound is off at once; the result of the call is still reported. */
  hangUp: () => void;
  /** Closes everything, and reports nothing more. */
  release: () => void;
};

/** A service that says nothing of the end for so long is gone. */
const END_PATIENCE_MS = 10_000;
/** What has come is heard to its end: as much as is kept to even out the network. */
const LAST_WORDS_MS = 300;

/**
 * Opens a call that is spoken: microphone first, then the service's socket at `path`, which speaks from `started` on and is over with `ended`.
 * `first` is the first message to it, if any.
 */
export function openSoundLine<Message extends { type: string }>({
  path,
  first,
  onEvent,
  onLevel,
}: {
  path: string;
  first?: object;
  onEvent: (event: LineEvent<Message>) => void;
  /** How loud the microphone is, fifty times a second: the root of the mean square, up to 1. */
  onLevel: (level: number) => void;
}): SoundLine {
  let audio: CallAudio | undefined;
  let socket: WebSocket | undefined;
  let state: "calling" | "talking" | "ended" | "closed" = "calling";
  let patience: ReturnType<typeof setTimeout> | undefined;

  const release = () => {
    clearTimeout(patience);
    if (state === "ended") setTimeout(() => audio?.close(), LAST_WORDS_MS);
    else audio?.close();
    socket?.close();
    state = "closed";
  };
  const finish = (error?: Error) => {
    if (state === "closed") return;
    release();
    if (error !== undefined) onEvent({ type: "failed", error });
    onEvent({ type: "closed" });
  };
  const take = (message: Message | Failed) => {
    if (isFailed(message)) return finish(new ApiError(0, message.code, message.error, message.details));
    if (message.type === "started") state = "talking";
    if (message.type === "ended") {
      state = "ended";
      clearTimeout(patience);
      // The agent's last words may still be waiting to be heard.
      audio?.stopMicrophone();
    }
    onEvent(message as LineEvent<Message>);
  };
  const connect = () => {
    const opened = new WebSocket(`${location.origin.replace(/^http/, "ws")}${path}`);
    opened.binaryType = "arraybuffer";
    opened.onopen = () => first && opened.send(JSON.stringify(first));
    opened.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (state === "closed") return;
      if (typeof data === "string") take(JSON.parse(data));
      else audio?.play(data);
    };
    opened.onclose = () => finish(failureOf(state));
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
    (error: Error) => finish(error),
  );

  return {
    mute: (isMuted) => audio?.mute(isMuted),
    hangUp() {
      if (state === "calling") return finish();
      socket?.send(JSON.stringify({ type: "hangup" }));
      audio?.close();
      clearTimeout(patience);
      patience = setTimeout(() => finish(failureOf("talking")), END_PATIENCE_MS);
    },
    release,
  };
}

const isFailed = (message: { type: string }): message is Failed => message.type === "error";

/** What it means that the line is closed, by what went on. */
const FAILURES: Readonly<Record<string, string>> = {
  calling: "The call could not be begun.",
  talking: "The connection was lost, and the call with it.",
};

const failureOf = (state: string): Error | undefined => {
  const words = FAILURES[state];
  return words === undefined ? undefined : new Error(words);
};
