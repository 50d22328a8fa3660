import { useEffect, useRef, useState } from "react";
import type { Static } from "typebox";
import { messageOf } from "#api/error.ts";
import type * as contract from "#contract/simulator/sound.ts";
import { type LineEvent, openSoundLine, type SoundLine } from "#parts/microphone/sound-line.ts";

type Message = Static<typeof contract.SoundMessage>;

export type HandsetLine = {
  /** Of this page: who has taken the call elsewhere has another. */
  phase: "none" | "calling" | "talking" | "ending" | "over";
  isMuted: boolean;
  failure: string | undefined;
  take: () => void;
  mute: (isMuted: boolean) => void;
  hangUp: () => void;
  /** What went wrong has been read: something else is done. */
  forget: () => void;
};

/** A phone's call in the hand of this page, by its microphone. It is hung up when nobody looks at it any more. */
export function useHandsetLine(phone: string, call: string, onLevel: (level: number) => void): HandsetLine {
  const [phase, setPhase] = useState<HandsetLine["phase"]>("none");
  const [isMuted, setMuted] = useState(false);
  const [failure, setFailure] = useState<string>();
  const line = useRef<SoundLine>(undefined);
  useEffect(() => () => line.current?.release(), []);
  const onEvent = (event: LineEvent<Message>) => {
    if (event.type === "started") setPhase("talking");
    if (event.type === "failed") setFailure(messageOf(event.error));
    // What never was a call can be tried again.
    if (event.type === "closed") setPhase((before) => (before === "calling" ? "none" : "over"));
  };
  return {
    phase,
    isMuted,
    failure,
    take() {
      line.current?.release();
      setFailure(undefined);
      setPhase("calling");
      const path = `/v1/simulator/handsets/${encodeURIComponent(phone)}/calls/${encodeURIComponent(call)}/sound`;
      line.current = openSoundLine<Message>({ path, onEvent, onLevel });
    },
    mute(wanted) {
      line.current?.mute(wanted);
      setMuted(wanted);
    },
    hangUp() {
      line.current?.hangUp();
      setPhase((before) => (before === "talking" ? "ending" : before));
    },
    forget: () => setFailure(undefined),
  };
}
