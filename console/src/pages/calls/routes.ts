import type { RouteObject } from "react-router";

export const routes: RouteObject[] = [
  { index: true, lazy: () => import("./calls.tsx") },
  { path: ":call_id", lazy: () => import("./call.tsx") },
];
