import type { RouteObject } from "react-router";

export const routes: RouteObject[] = [
  { index: true, lazy: () => import("./agents.tsx") },
  { path: "new", lazy: () => import("./new-agent.tsx") },
  { path: ":agent_id", lazy: () => import("./agent.tsx") },
];
