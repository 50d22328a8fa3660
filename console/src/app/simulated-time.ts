import { useEffect } from "react";
import { useAnswer } from "#api/query.ts";
import { useSession } from "#api/session.ts";
import { setAhead } from "#parts/show/time.tsx";

/**
 * Shows all times of the page by the simulator's clock, which may have been moved ahead. In live mode there is none. It draws nothing: what is around
 * a page is not to be drawn again whenever the clock is asked for.
 */
export function SimulatedTime(): null {
  const { mode } = useSession();
  const { data } = useAnswer("GET /v1/simulator/clock", mode === "test" ? {} : undefined);
  const aheadMs = mode === "test" ? (data?.offset_ms ?? 0) : 0;
  useEffect(() => setAhead(aheadMs), [aheadMs]);
  return null;
}
