import type { RouteObject } from "react-router";

export const routes: RouteObject[] = [
  { index: true, lazy: () => import("./sms-campaigns.tsx") },
  { path: "new", lazy: () => import("./new-campaign.tsx") },
  { path: ":campaign_id", lazy: () => import("./campaign.tsx") },
];
