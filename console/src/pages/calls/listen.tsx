import { ActionIcon } from "@mantine/core";
import { useEffect, useState } from "react";
import { pathOf } from "#api/client.ts";
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from "#parts/icons/tabler.ts";

/** One recording at a time: what plays stops when another begins. */
let playing: HTMLAudioElement | undefined;

/** Plays the recording of a call where its row is; the sound comes when it is asked for. */
export function Listen({ callId, who }: { callId: string; who: string }) {
  const [media, setMedia] = useState<HTMLAudioElement>();
  const [state, setState] = useState<"still" | "plays" | "failed">("still");
  // A row that is scrolled away goes silent.
  useEffect(() => () => media?.pause(), [media]);
  const toggle = () => {
    if (media !== undefined && !media.paused) return media.pause();
    const sound = media ?? new Audio(pathOf("GET /v1/voice/calls/:call_id/recording", { params: { call_id: callId } }));
    if (media === undefined) {
      sound.addEventListener("play", () => setState("plays"));
      for (const end of ["pause", "ended"]) sound.addEventListener(end, () => setState("still"));
      sound.addEventListener("error", () => setState("failed"));
      setMedia(sound);
    }
    if (playing !== sound) playing?.pause();
    playing = sound;
    // What cannot be played is shown by the button.
    void sound.play().catch(() => {});
  };
  if (state === "failed") return <span title="The recording cannot be played">–</span>;
  return (
    <ActionIcon
      variant="subtle"
      size={26}
      radius="xl"
      aria-label={state === "plays" ? `Pause the call with ${who}` : `Listen to the call with ${who}`}
      onClick={toggle}
    >
      {state === "plays" ? <IconPlayerPauseFilled size={14} /> : <IconPlayerPlayFilled size={14} />}
    </ActionIcon>
  );
}
