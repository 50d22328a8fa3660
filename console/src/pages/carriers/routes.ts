import type { RouteObject } from "react-router";

export const routes: RouteObject[] = [
  { index: true, lazy: () => import("./carriers.tsx") },
  { path: "new", lazy: () => import("./new-carrier.tsx") },
  { path: ":carrier_id/connect", lazy: () => import("./connect.tsx") },
];
