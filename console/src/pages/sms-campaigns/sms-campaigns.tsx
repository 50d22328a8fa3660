import { Box, Text } from "@mantine/core";
import type { Answer } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { useCan, useOrganization, useSession } from "#api/session.ts";
import { CampaignList } from "#parts/campaigns/list.tsx";
import { LinkButton } from "#parts/form/link-button.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import type { Column } from "#parts/show/data-table.tsx";
import { whole } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { ProgressBar } from "#parts/show/progress-bar.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { reasonOf } from "#parts/show/words.ts";
import { shownState } from "./shown-state.ts";

type Campaign = Answer<"GET /v1/campaigns/:campaign_id">["campaign"];

const STATUSES = [
  { value: "processing", label: "Preparing" },
  { value: "active", label: "Running" },
  { value: "paused", label: "Paused" },
  { value: "completed", label: "Completed" },
];
type Status = "processing" | "active" | "paused" | "completed";

/** Every SMS campaign of the organization, newest first. */
export function Component() {
  const { organization_id } = useOrganization();
  const { mode } = useSession();
  const isGuided = useCan("send") && mode === "test";
  const [filters, setFilters] = useSearchFilters(["status"]);
  const status = filters.status as Status | undefined;
  const list = usePages("GET /v1/campaigns", "campaigns", {
    query: { organization_id, ...(status ? { status } : {}) },
  });
  return (
    <CampaignList
      title="SMS campaigns"
      path="/sms-campaigns"
      create="New SMS campaign"
      none={{
        title: "No SMS campaign yet",
        text: "A campaign texts everybody on a list, converses with who answers, and finds out what you want to know.",
        ...(isGuided ? { action: <LinkButton to="/sms-campaigns/first">Begin with a guide</LinkButton> } : {}),
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
    width: "10rem",
    render: (campaign) => <StatusBadge of="campaign" state={shownState(campaign)} />,
  },
  {
    key: "progress",
    title: "Progress",
    width: "2fr",
    render: (campaign) => (
      <Box miw={120}>
        <ProgressBar counts={campaign.recipients} label={campaign.campaign_name ?? campaign.campaign_id} />
      </Box>
    ),
  },
  {
    key: "recipients",
    title: "Recipients",
    width: "6rem",
    align: "right",
    render: (campaign) => whole(campaign.details.total_contacts),
  },
  {
    key: "waits",
    title: "Now",
    width: "2fr",
    isExtra: true,
    render: (campaign) => (
      <Text span inherit c="dimmed">
        {campaign.waiting_because ? (
          reasonOf(campaign.waiting_because)
        ) : campaign.eta ? (
          <>
            Done <Time at={campaign.eta} />
          </>
        ) : (
          "–"
        )}
      </Text>
    ),
  },
  {
    key: "sender",
    title: "From",
    width: "9rem",
    isExtra: true,
    render: (campaign) => <PhoneNumber number={campaign.svc_sms_number} />,
  },
  { key: "created", title: "Created", width: "8rem", render: (campaign) => <Time at={campaign.created_at} /> },
];
