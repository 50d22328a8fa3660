import type { Answer } from "#api/operations.ts";
import type { Stage } from "#parts/campaigns/funnel.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { callLength, Money, percent, whole } from "#parts/show/figures.tsx";
import type { Campaign } from "./draft.ts";

type Analytics = Answer<"GET /v1/voice/campaigns/:campaign_id/analytics">["analytics"];

type Reason = { status: string; reason: string; recipients: number };

/**
 * How far recipients came. Who is to be called again has been called.
 *
 * @param reasons why recipients are in their states: who answered and was not talked with has one
 */
export function stagesOf({ recipients, contacts_count }: Campaign, reasons: readonly Reason[] = []): Stage[] {
  const of = (...states: string[]) => states.reduce((sum, state) => sum + (recipients[state] ?? 0), 0);
  const withReason = (wanted: (of: Reason) => boolean) =>
    reasons.filter(wanted).reduce((sum, { recipients: count }) => sum + count, 0);
  // Who opted out on the phone was talked with before.
  const optedOut = withReason(({ status, reason }) => status === "opted_out" && reason === "call");
  const answered = of("completed", "replied") + optedOut;
  return [
    { name: "Contacts", count: contacts_count, meaning: "Everybody in the campaign" },
    {
      name: "Contacts called",
      count: of("sent", "delivered", "replied", "completed", "failed", "opted_out", "unknown"),
      meaning: "Once at least",
    },
    {
      name: "Contacts reached",
      count: of("delivered") + answered,
      meaning: "They answered, or a voicemail was left",
    },
    { name: "Contacts who answered", count: answered, meaning: "Somebody picked up" },
    {
      name: "Contacts talked with",
      count: Math.max(0, answered - withReason(({ status }) => status === "completed")),
      meaning: "They answered and said something",
    },
  ];
}

/** What the calls came to. */
export function CallFigures({ figures }: { figures: Analytics }) {
  const { sentiment } = figures;
  return (
    <Fields
      items={[
        ["Calls made", whole(figures.calls)],
        ["Calls answered", rate(figures.answer_rate)],
        ["Calls to voicemail", rate(figures.voicemail_rate)],
        ["Calls that met the goal", `${whole(figures.successful)} (${rate(figures.success_rate)})`],
        ["Length of answered calls, on average", callLength(figures.connected > 0 ? figures.duration_ms.avg : 0)],
        [
          "Sentiment of calls",
          `${whole(sentiment.Positive)} positive, ${whole(sentiment.Neutral)} neutral, ${whole(sentiment.Negative)} negative`,
        ],
        ["Cost so far", <Money key="cost" amount={figures.cost} />],
      ]}
    />
  );
}

/** Of a number from 0 to 1. */
const rate = (value: number): string => percent(value, 1);
