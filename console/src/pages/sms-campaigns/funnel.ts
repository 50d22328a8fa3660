import type { Answer } from "#api/operations.ts";
import type { Stage } from "#parts/campaigns/funnel.tsx";
import type { Campaign } from "./draft.ts";

type Analytics = Answer<"GET /v1/campaigns/:campaign_id/analytics">["analytics"];

/**
 * How far recipients came. A recipient has one state, the furthest: who replied had been delivered to. Who has opted out
 * may have done so before; of those only who was texted counts.
 */
export function stagesOf({ recipients, details }: Campaign, figures: Analytics | undefined): Stage[] {
  const of = (...states: string[]) => states.reduce((sum, state) => sum + (recipients[state] ?? 0), 0);
  const optedOut = figures?.opted_out ?? 0;
  const texted = of("sent", "delivered", "replied", "completed", "failed", "unknown") + optedOut;
  return [
    { name: "Contacts", count: details.total_contacts, meaning: "Everybody in the campaign" },
    {
      name: "Contacts texted",
      count: Math.min(texted, details.total_contacts),
      meaning: "The first text went to the carrier",
    },
    {
      name: "Contacts reached",
      count: of("delivered", "replied", "completed") + optedOut,
      meaning: "The first text arrived at the phone",
    },
    {
      name: "Contacts who replied",
      count: Math.max(figures?.replied ?? 0, of("replied", "completed")),
      meaning: "The contact wrote back",
    },
    { name: "Contacts completed", count: of("completed"), meaning: "The conversation came to its end" },
  ];
}
