import { Box, Group, Select, Stack, Text } from "@mantine/core";
import type { Answer } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { type Column, DataTable } from "#parts/data-table.tsx";
import { EmptyState } from "#parts/empty-state.tsx";
import { whole } from "#parts/figures.tsx";
import { LinkButton } from "#parts/link-button.tsx";
import { PageHeader } from "#parts/page-header.tsx";
import { PhoneNumber } from "#parts/phone-number.tsx";
import { ProgressBar } from "#parts/progress-bar.tsx";
import { useSearchFilters } from "#parts/search-filters.ts";
import { StatusBadge } from "#parts/status-badge.tsx";
import { Time } from "#parts/time.tsx";
import { reasonOf } from "#parts/words.ts";

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
  const maySend = useCan("send");
  const [filters, setFilters] = useSearchFilters(["status"]);
  const status = filters.status as Status | undefined;
  const list = usePages("GET /v1/campaigns", "campaigns", {
    query: { organization_id, ...(status ? { status } : {}) },
  });
  const create = maySend && <LinkButton to="/sms-campaigns/new">New SMS campaign</LinkButton>;
  return (
    <>
      <PageHeader title="SMS campaigns" actions={create} />
      <Stack gap="sm">
        <Group>
          <Select
            aria-label="Status"
            placeholder="Every status"
            clearable
            w={180}
            data={STATUSES}
            value={status ?? null}
            onChange={(value) => setFilters({ status: value })}
          />
        </Group>
        <DataTable
          label="SMS campaigns"
          list={list}
          columns={COLUMNS}
          rowKey={(it) => it.campaign_id}
          to={(it) => `/sms-campaigns/${encodeURIComponent(it.campaign_id)}`}
          empty={
            status ? (
              <EmptyState title="No campaign has this status" />
            ) : (
              <EmptyState
                title="No SMS campaign yet"
                text="A campaign texts everybody on a list, converses with who answers, and finds out what you want to know."
                action={create}
              />
            )
          }
        />
      </Stack>
    </>
  );
}

const COLUMNS: readonly Column<Campaign>[] = [
  { key: "name", title: "Campaign", width: "2fr", render: (it) => it.campaign_name ?? it.campaign_id },
  { key: "status", title: "Status", width: "7rem", render: (it) => <StatusBadge of="campaign" state={it.status} /> },
  {
    key: "progress",
    title: "Progress",
    width: "2fr",
    render: (it) => (
      <Box miw={120}>
        <ProgressBar counts={it.counts} label={it.campaign_name ?? it.campaign_id} />
      </Box>
    ),
  },
  {
    key: "recipients",
    title: "Recipients",
    width: "6rem",
    align: "right",
    render: (it) => whole(it.details.total_contacts),
  },
  {
    key: "waits",
    title: "Now",
    width: "2fr",
    isExtra: true,
    render: (it) => (
      <Text span inherit c="dimmed">
        {it.waiting_because ? (
          reasonOf(it.waiting_because)
        ) : it.eta ? (
          <>
            Done <Time at={it.eta} />
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
    render: (it) => <PhoneNumber number={it.svc_sms_number} />,
  },
  { key: "created", title: "Created", width: "8rem", render: (it) => <Time at={it.created_at} /> },
];
