import { useEffect, useReducer, useRef } from "react";
import type { Static } from "typebox";
import type * as contract from "#contract/agents/playground-calls.ts";
import { type LineEvent, openSoundLine, type SoundLine } from "#parts/microphone/sound-line.ts";
import { sentenceOf, type Turn } from "./turn.ts";

export type CallStart = Omit<Static<typeof contract.CallStart>, "type">;
type Message = Static<typeof contract.CallMessage>;
export type Utterance = Extract<Message, { type: "utterance" }>;
export type CallEnd = Extract<Message, { type: "ended" }>;

export type CallState = {
  phase: "none" | "calling" | "talking" | "ending" | "over";
  startedAt: number;
  isMuted: boolean;
  utterances: readonly Utterance[];
  end?: CallEnd;
  failure?: string;
  /** The call is over, and what it came to is being found out. */
  isFinding: boolean;
};

const NO_CALL: CallState = { phase: "none", startedAt: 0, isMuted: false, utterances: [], isFinding: false };

type Change = LineEvent<Message> | { type: "called" } | { type: "hung_up" } | { type: "muted"; isMuted: boolean };

function changed(state: CallState, change: Change): CallState {
  switch (change.type) {
    case "called":
      return { ...NO_CALL, phase: "calling" };
    case "started":
      return { ...state, phase: "talking", startedAt: Date.now() };
    case "muted":
      return { ...state, isMuted: change.isMuted };
    case "hung_up":
      return { ...state, phase: "ending" };
    case "utterance":
      // Who is interrupted ends later than who interrupts.
      return { ...state, utterances: [...state.utterances, change].sort((a, b) => a.start_ms - b.start_ms) };
    case "ended":
      return { ...state, phase: "over", end: change, isFinding: true };
    case "findings":
      return { ...state, isFinding: false };
    case "failed":
      return { ...state, failure: sentenceOf(change.error) };
    case "closed":
      return { ...state, phase: state.phase === "calling" ? "none" : "over", isFinding: false };
  }
}

/** One call after another with an agent, by the browser's microphone. It is hung up when nobody looks at it any more. */
export function useSpokenCall({
  onLevel,
  onFindings,
}: {
  onLevel: (level: number) => void;
  onFindings: (extraction: Turn["extraction"]) => void;
}) {
  const [state, change] = useReducer(changed, NO_CALL);
  const line = useRef<SoundLine>(undefined);
  useEffect(() => () => line.current?.release(), []);
  const onEvent = (event: LineEvent<Message>) => {
    change(event);
    if (event.type === "findings") onFindings(event.extraction);
  };
  return {
    state,
    call(start: CallStart) {
      line.current?.release();
      onFindings(null);
      change({ type: "called" });
      line.current = openSoundLine<Message>({
        path: "/v1/playground/calls",
        first: { type: "start", ...start },
        onEvent,
        onLevel,
      });
    },
    mute(isMuted: boolean) {
      line.current?.mute(isMuted);
      change({ type: "muted", isMuted });
    },
    hangUp() {
      change({ type: "hung_up" });
      line.current?.hangUp();
    },
  };
}
