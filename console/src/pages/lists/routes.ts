import type { RouteObject } from "react-router";

export const routes: RouteObject[] = [
  { index: true, lazy: () => import("./lists.tsx") },
  { path: "import", lazy: () => import("./new-import.tsx") },
  { path: "imports/:import_id", lazy: () => import("./import.tsx") },
  { path: ":list_id", lazy: () => import("./list.tsx") },
];
