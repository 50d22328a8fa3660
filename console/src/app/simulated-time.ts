import { useEffect } from "react";
import { useAnswer } from "#api/query.ts";
import type { Session } from "#api/session.ts";
import { setAhead } from "#parts/show/time.tsx";

/** Shows all times of the page by the simulator's clock, which may have been moved ahead. In live mode there is none. */
export function useSimulatedTime(mode: Session["mode"]): void {
  const { data } = useAnswer("GET /v1/simulator/clock", mode === "test" ? {} : undefined);
  const aheadMs = mode === "test" ? (data?.offset_ms ?? 0) : 0;
  useEffect(() => setAhead(aheadMs), [aheadMs]);
}
