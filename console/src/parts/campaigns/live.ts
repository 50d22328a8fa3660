import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type EventKind, useLive } from "#api/live.ts";
import type { GetKey } from "#api/operations.ts";

/** What is counted over all recipients is dear for the server: it is asked again no more often. */
const EVERY_MS = 10_000;

const KINDS = [
  "campaign.progressed",
  "campaign.completed",
  "campaign.paused",
  "campaign.resumed",
] as const satisfies readonly EventKind[];

/** Has these answers about a campaign asked again now and then while it moves, and once more when it has come to rest. */
export function useNowAndThen(campaignId: string, keys: readonly GetKey[]): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLive(KINDS, ({ data }) => {
    if (data.campaign_id !== campaignId || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      for (const key of keys) {
        const args = { params: { campaign_id: campaignId } };
        void client.invalidateQueries({ queryKey: [key, args] });
      }
    }, EVERY_MS);
  });
}
