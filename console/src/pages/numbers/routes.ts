import type { RouteObject } from "react-router";

export const routes: RouteObject[] = [
  { index: true, lazy: () => import("./numbers.tsx") },
  { path: "brands", lazy: () => import("./brands.tsx") },
  { path: "toll-free", lazy: () => import("./toll-free.tsx") },
  { path: "toll-free/new", lazy: () => import("./toll-free-form.tsx") },
  { path: "new", lazy: () => import("./get-number.tsx") },
];
