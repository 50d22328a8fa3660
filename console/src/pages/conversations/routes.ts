import type { RouteObject } from "react-router";

/** One page with and without an open conversation: the list stays where it is when another is opened. */
export const routes: RouteObject[] = [{ path: ":thread_id?", lazy: () => import("./conversations.tsx") }];
