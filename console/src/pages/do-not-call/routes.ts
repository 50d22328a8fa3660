import type { RouteObject } from "react-router";

export const routes: RouteObject[] = [{ index: true, lazy: () => import("./do-not-call.tsx") }];
