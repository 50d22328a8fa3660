import type { Answer } from "#api/operations.ts";
import type { Stage } from "#parts/campaigns/funnel.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { callLength, Money, percent, whole } from "#parts/show/figures.tsx";
import type { Campaign } from "./draft.ts";

type Analytics = Answer<"GET /v1/voice/campaigns/:campaign_id/analytics">["analytics"];

/** How far recipients came. Who is to be called again has been tried. */
export function stagesOf({ recipients, contacts_count }: Campaign): Stage[] {
  const of = (...states: string[]) => states.reduce((sum, state) => sum + (recipients[state] ?? 0), 0);
  return [
    { name: "Recipients", count: contacts_count, meaning: "Everybody in the campaign" },
    {
      name: "Tried",
      count: of("sent", "delivered", "replied", "completed", "failed", "opted_out", "unknown"),
      meaning: "Called once at least",
    },
    {
      name: "Reached",
      count: of("delivered", "replied", "completed"),
      meaning: "Talked with, or left a voicemail",
    },
    { name: "Talked with", count: of("completed", "replied"), meaning: "A person answered" },
  ];
}

/** What the calls came to. */
export function CallFigures({ figures }: { figures: Analytics }) {
  const { sentiment } = figures;
  return (
    <Fields
      items={[
        ["Calls", whole(figures.calls)],
        ["Answered", rate(figures.answer_rate)],
        ["Voicemail", rate(figures.voicemail_rate)],
        ["Successful", `${whole(figures.successful)} (${rate(figures.success_rate)})`],
        ["Length, on average", callLength(figures.connected > 0 ? figures.duration_ms.avg : 0)],
        [
          "Sentiment",
          `${whole(sentiment.Positive)} positive, ${whole(sentiment.Neutral)} neutral, ${whole(sentiment.Negative)} negative`,
        ],
        ["Cost so far", <Money key="cost" amount={figures.cost} />],
      ]}
    />
  );
}

/** Of a number from 0 to 1. */
const rate = (value: number): string => percent(value, 1);
