import { Box, Text } from "@mantine/core";
import { usePages } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { CampaignList } from "#parts/campaigns/list.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import type { Column } from "#parts/show/data-table.tsx";
import { whole } from "#parts/show/figures.tsx";
import { ProgressBar } from "#parts/show/progress-bar.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { reasonOf } from "#parts/show/words.ts";
import type { Campaign } from "./draft.ts";

const STATUSES = [
  { value: "scheduled", label: "Scheduled" },
  { value: "running", label: "Running" },
  { value: "paused", label: "Paused" },
  { value: "completed", label: "Completed" },
];
type Status = "scheduled" | "running" | "paused" | "completed";

/** Every voice campaign of the organization, newest first. */
export function Component() {
  const { organization_id } = useOrganization();
  const [filters, setFilters] = useSearchFilters(["status"]);
  const status = filters.status as Status | undefined;
  const list = usePages("GET /v1/voice/campaigns", "campaigns", {
    query: { organization_id, ...(status ? { status } : {}) },
  });
  return (
    <CampaignList
      title="Voice campaigns"
      path="/voice-campaigns"
      create="New voice campaign"
      none={{
        title: "No voice campaign yet",
        text: "A campaign calls everybody on a list, talks with who answers, calls again who did not, and reports the outcome.",
      }}
      statuses={STATUSES}
      status={status}
      setStatus={(value) => setFilters({ status: value })}
      list={list}
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly Column<Campaign>[] = [
  {
    key: "name",
    title: "Campaign",
    width: "2fr",
    render: (campaign) => campaign.campaign_name ?? campaign.campaign_id,
  },
  {
    key: "status",
    title: "Status",
    width: "7rem",
    render: (campaign) => <StatusBadge of="campaign" state={campaign.status} />,
  },
  {
    key: "progress",
    title: "Progress",
    width: "2fr",
    render: (campaign) => (
      <Box miw={120}>
        <ProgressBar counts={campaign.recipients} of="callee" label={campaign.campaign_name ?? campaign.campaign_id} />
      </Box>
    ),
  },
  {
    key: "recipients",
    title: "Recipients",
    width: "6rem",
    align: "right",
    render: (campaign) => whole(campaign.contacts_count),
  },
  {
    key: "calls",
    title: "On the phone",
    width: "6rem",
    align: "right",
    render: (campaign) => whole(campaign.calls_in_progress),
  },
  {
    key: "waits",
    title: "Waits because",
    width: "2fr",
    isExtra: true,
    render: (campaign) => (
      <Text span inherit c="dimmed">
        {campaign.waiting_because ? reasonOf(campaign.waiting_because) : "–"}
      </Text>
    ),
  },
  {
    key: "created",
    title: "Created",
    width: "8rem",
    isExtra: true,
    render: (campaign) => <Time at={campaign.created_at} />,
  },
];
