import { Box, Group, Select, Stack, Text } from "@mantine/core";
import { usePages } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { type Column, DataTable } from "#parts/data-table.tsx";
import { EmptyState } from "#parts/empty-state.tsx";
import { whole } from "#parts/figures.tsx";
import { LinkButton } from "#parts/link-button.tsx";
import { PageHeader } from "#parts/page-header.tsx";
import { ProgressBar } from "#parts/progress-bar.tsx";
import { useSearchFilters } from "#parts/search-filters.ts";
import { StatusBadge } from "#parts/status-badge.tsx";
import { Time } from "#parts/time.tsx";
import { reasonOf } from "#parts/words.ts";
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
  const maySend = useCan("send");
  const [filters, setFilters] = useSearchFilters(["status"]);
  const status = filters.status as Status | undefined;
  const list = usePages("GET /v1/voice/campaigns", "campaigns", {
    query: { organization_id, ...(status ? { status } : {}) },
  });
  const create = maySend && <LinkButton to="/voice-campaigns/new">New voice campaign</LinkButton>;
  return (
    <>
      <PageHeader title="Voice campaigns" actions={create} />
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
          label="Voice campaigns"
          list={list}
          columns={COLUMNS}
          rowKey={(it) => it.campaign_id}
          to={(it) => `/voice-campaigns/${encodeURIComponent(it.campaign_id)}`}
          empty={
            status ? (
              <EmptyState title="No campaign has this status" />
            ) : (
              <EmptyState
                title="No voice campaign yet"
                text="A campaign calls everybody on a list, talks with who answers, calls again who did not, and tells what came of it."
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
  { key: "name", title: "Campaign", width: "2fr", render: (it) => it.name ?? it.campaign_id },
  { key: "status", title: "Status", width: "7rem", render: (it) => <StatusBadge of="campaign" state={it.status} /> },
  {
    key: "progress",
    title: "Progress",
    width: "2fr",
    render: (it) => (
      <Box miw={120}>
        <ProgressBar counts={it.leads} label={it.name ?? it.campaign_id} />
      </Box>
    ),
  },
  { key: "recipients", title: "Recipients", width: "6rem", align: "right", render: (it) => whole(it.contacts_count) },
  { key: "calls", title: "On the phone", width: "6rem", align: "right", render: (it) => whole(it.calls_in_progress) },
  {
    key: "waits",
    title: "Waits because",
    width: "2fr",
    isExtra: true,
    render: (it) => (
      <Text span inherit c="dimmed">
        {it.waiting_because ? reasonOf(it.waiting_because) : "–"}
      </Text>
    ),
  },
  { key: "created", title: "Created", width: "8rem", isExtra: true, render: (it) => <Time at={it.created_at} /> },
];
