import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import WaveSurfer from "wavesurfer.js";
import type { Player } from "./player.ts";

/** Of each of the two sides, one above the other. */
const SIDE_PX = 48;
/** A line that was bad is drawn as large as one that was good, silence stays flat. */
const QUIETEST_PEAK = 48;

/** What is ahead, and what has been heard. */
const COLORS = {
  light: { contact: ["#a9c4da", "#11507f"], agent: ["#a6d9d1", "#0f6e66"], cursor: "#1d262b" },
  dark: { contact: ["#3b5b78", "#93c4ee"], agent: ["#2c5a54", "#74c5ba"], cursor: "#d7dfe2" },
} as const;

/**
 * Both sides of a recording over time, 0 to 255. What is drawn comes from the API and what is heard from the player: the
 * library fetches, decodes and stores nothing.
 */
export default function Waveform({
  player,
  contact,
  agent,
}: {
  player: Player;
  contact: readonly number[];
  agent: readonly number[];
}) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme("light");
  useEffect(() => {
    if (box.current === null) return;
    const colors = COLORS[scheme];
    const loudest = Math.max(QUIETEST_PEAK, ...contact, ...agent);
    const side = ([waveColor, progressColor]: readonly [string, string]) => ({ waveColor, progressColor });
    const drawn = WaveSurfer.create({
      container: box.current,
      media: player.media,
      peaks: [contact, agent].map((peaks) => peaks.map((peak) => peak / loudest)),
      duration: player.lengthS,
      splitChannels: [side(colors.contact), side(colors.agent)],
      height: SIDE_PX,
      barWidth: 2,
      barGap: 1,
      barRadius: 1,
      cursorColor: colors.cursor,
      cursorWidth: 1,
      hideScrollbar: true,
      maxPeak: 1,
    });
    return () => drawn.destroy();
  }, [player, contact, agent, scheme]);
  return <div ref={box} style={{ height: 2 * SIDE_PX }} />;
}
