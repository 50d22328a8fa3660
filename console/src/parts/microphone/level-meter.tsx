import { type ReactNode, useRef } from "react";
import classes from "./level-meter.module.css";

/** Below this a microphone hears nothing but itself. */
const QUIET_DB = -60;

/** A bar that shows how loud the microphone is, and what drives it. */
export function useLevelMeter(): { meter: ReactNode; onLevel: (level: number) => void } {
  const bar = useRef<HTMLSpanElement>(null);
  return {
    meter: (
      <div className={classes.meter} aria-hidden>
        <span ref={bar} />
      </div>
    ),
    // Fifty times a second: not by drawing anew what is around it.
    onLevel(level) {
      const share = Math.max(0, 1 - (20 * Math.log10(level)) / QUIET_DB);
      if (bar.current) bar.current.style.transform = `scaleX(${Math.min(1, share)})`;
    },
  };
}
