import type { RouteObject } from "react-router";

export const routes: RouteObject[] = [
  { index: true, lazy: () => import("./sms-campaigns.tsx") },
  { path: "first", lazy: () => import("#pages/sms-campaigns/first/first-campaign.tsx") },
  { path: "first/:campaign_id", lazy: () => import("#pages/sms-campaigns/first/play.tsx") },
  { path: "new", lazy: () => import("./new-campaign.tsx") },
  { path: ":campaign_id", lazy: () => import("./campaign.tsx") },
];
