import type { ComponentProps } from "react";
import type { Item } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { type RecipientRow, Recipients, useRecipientFilters } from "#parts/campaigns/recipients.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { CallBadge } from "#parts/show/call-badge.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { callLength, whole } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { reasonOf, wordOf } from "#parts/show/words.ts";
import type { Campaign } from "./draft.ts";

export type CallRow = Item<"GET /v1/voice/campaigns/:campaign_id/calls">;
type FailedNumber = Item<"GET /v1/voice/campaigns/:campaign_id/failed-numbers">;

/** The calls of a campaign with one number. */
const callsOf = (phone_number: string, campaign_id: string): string =>
  `/calls?${new URLSearchParams({ campaign_id, phone_number })}`;

/** Who is in the campaign. */
export function RecipientList({
  campaign,
  reasons,
}: {
  campaign: Campaign;
  reasons: ComponentProps<typeof Recipients>["reasons"];
}) {
  const [filters] = useRecipientFilters();
  const leads = usePages("GET /v1/voice/campaigns/:campaign_id/leads", "leads", {
    params: { campaign_id: campaign.campaign_id },
    query: filters,
  });
  return (
    <Recipients
      of="callee"
      list={leads}
      counts={campaign.recipients}
      reasons={reasons}
      more={MORE}
      to={(row) => callsOf(row.phone_number ?? "", campaign.campaign_id)}
    />
  );
}

const MORE: readonly Column<RecipientRow>[] = [
  {
    key: "outcome",
    title: "Last call",
    isExtra: true,
    render: (row) => (row.outcome ? wordOf("result", row.outcome).label : "–"),
  },
];

/** Every call of the campaign, newest first. */
export function CallList({ campaignId }: { campaignId: string }) {
  const calls = usePages("GET /v1/voice/campaigns/:campaign_id/calls", "calls", {
    params: { campaign_id: campaignId },
  });
  return (
    <DataTable
      label="Calls"
      list={calls}
      columns={CALLS}
      rowKey={(call) => call.call_id}
      to={(call) => `/calls/${encodeURIComponent(call.call_id)}`}
      empty={<EmptyState title="No calls yet" text="Calls show up here as soon as they are dialled." />}
    />
  );
}

const CALLS: readonly Column<CallRow>[] = [
  {
    key: "contact",
    title: "Contact",
    width: "1.4fr",
    render: (call) => call.contact_name ?? <PhoneNumber number={call.to_number} />,
  },
  {
    key: "to",
    title: "Called",
    width: "9rem",
    isExtra: true,
    render: (call) => <PhoneNumber number={call.to_number} />,
  },
  {
    key: "result",
    title: "Outcome",
    width: "9rem",
    render: (call) => <CallBadge call={call} />,
  },
  {
    key: "length",
    title: "Length",
    width: "5rem",
    align: "right",
    render: (call) => callLength(call.call_duration_ms),
  },
  {
    key: "sentiment",
    title: "Sentiment",
    width: "7rem",
    render: (call) => <StatusBadge of="sentiment" state={call.user_sentiment} />,
  },
  {
    key: "said",
    title: "Said",
    width: "3fr",
    isExtra: true,
    render: (call) => call.transcript.slice(0, 200) || "–",
  },
  {
    key: "from",
    title: "From",
    width: "9rem",
    isExtra: true,
    render: (call) => <PhoneNumber number={call.from_number} />,
  },
  { key: "at", title: "When", width: "8rem", render: (call) => <Time at={call.start_timestamp} /> },
];

/** Who was not reached, how often that was tried, and when it is tried again. */
export function FailedNumbers({ campaignId }: { campaignId: string }) {
  const list = usePages("GET /v1/voice/campaigns/:campaign_id/failed-numbers", "failed_numbers", {
    params: { campaign_id: campaignId },
  });
  return (
    <DataTable
      label="Numbers not reached"
      list={list}
      columns={FAILED}
      rowKey={(number) => number.lead_id}
      to={(number) => callsOf(number.phone_number, campaignId)}
      empty={<EmptyState title="Nobody is missing" text="Everybody who was called so far was reached." />}
    />
  );
}

const FAILED: readonly Column<FailedNumber>[] = [
  {
    key: "contact",
    title: "Contact",
    width: "1.4fr",
    render: (number) => number.contact_name ?? <PhoneNumber number={number.phone_number} />,
  },
  {
    key: "number",
    title: "Number",
    width: "9rem",
    isExtra: true,
    render: (number) => <PhoneNumber number={number.phone_number} />,
  },
  { key: "reason", title: "Reason", width: "2fr", render: (number) => reasonOf(number.reason) },
  {
    key: "ended",
    title: "How the last call ended",
    width: "2fr",
    isExtra: true,
    render: (number) => (number.disconnection_reason ? reasonOf(number.disconnection_reason) : "–"),
  },
  { key: "attempts", title: "Calls", width: "4rem", align: "right", render: (number) => whole(number.attempts) },
  { key: "last", title: "Last", width: "8rem", render: (number) => <Time at={number.last_attempt_at} /> },
  { key: "next", title: "Again", width: "8rem", render: (number) => <Time at={number.next_attempt_at} /> },
];
