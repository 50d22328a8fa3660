import type { RouteObject } from "react-router";

export const routes: RouteObject[] = [
  { index: true, lazy: () => import("./overview.tsx") },
  { path: "users", lazy: () => import("./users.tsx") },
  { path: "organizations", lazy: () => import("./organizations.tsx") },
  { path: "single-sign-on", lazy: () => import("./single-sign-on.tsx") },
  { path: "activity", lazy: () => import("./activity.tsx") },
  { path: "account", lazy: () => import("./account.tsx") },
];
