import type { RouteObject } from "react-router";

export const routes: RouteObject[] = [
  { index: true, lazy: () => import("./api-keys.tsx") },
  { path: "requests", lazy: () => import("./requests.tsx") },
  { path: "events", lazy: () => import("./events.tsx") },
  { path: "reference", lazy: () => import("./reference.tsx") },
];
