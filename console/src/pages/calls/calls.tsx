import { Button, Stack } from "@mantine/core";
import type { Item } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { CallBadge } from "#parts/show/call-badge.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { callLength } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { CallFilters, queryOf, useCallFilters } from "./filters.tsx";
import { Listen } from "./listen.tsx";
import { otherSide } from "./other-side.ts";

type Call = Item<"GET /v1/voice/calls">;

/** Every call of the organization, newest first. */
export function Component() {
  const { organization_id } = useOrganization();
  const maySend = useCan("send");
  const [filters, setFilters] = useCallFilters();
  const list = usePages("GET /v1/voice/calls", "calls", { query: { organization_id, ...queryOf(filters) } });
  const isFiltered = Object.keys(filters).length > 0;
  const clear = () => setFilters(Object.fromEntries(Object.keys(filters).map((name) => [name, null])));
  return (
    <>
      <PageHeader
        title="Calls"
        about="Every call that was placed or taken, with its words, its sound and what it came to."
      />
      <Stack gap="sm">
        <CallFilters />
        <DataTable
          label="Calls"
          list={list}
          columns={COLUMNS}
          rowKey={(call) => call.call_id}
          to={(call) => `/calls/${call.call_id}`}
          empty={
            isFiltered ? (
              <EmptyState
                title="No matching calls"
                action={
                  <Button variant="default" onClick={clear}>
                    Show all
                  </Button>
                }
              />
            ) : (
              <EmptyState
                title="No call yet"
                text="Calls of voice campaigns, single calls and those that come in are listed here as they begin."
                action={maySend && <LinkButton to="/voice-campaigns">Voice campaigns</LinkButton>}
              />
            )
          }
        />
      </Stack>
    </>
  );
}

const COLUMNS: readonly Column<Call>[] = [
  {
    key: "contact",
    title: "Contact",
    width: "1.3fr",
    render: (call) => call.contact_name ?? <PhoneNumber number={otherSide(call)} />,
  },
  {
    key: "listen",
    title: "Listen",
    width: "4rem",
    render: (call) =>
      call.recording_url === null ? "–" : <Listen callId={call.call_id} who={call.contact_name ?? otherSide(call)} />,
  },
  {
    key: "outcome",
    title: "Outcome",
    width: "10.5rem",
    render: (call) => <CallBadge call={call} />,
  },
  {
    key: "campaign",
    title: "Campaign",
    width: "1.3fr",
    isExtra: true,
    render: (call) => call.campaign_name ?? call.campaign_id ?? "–",
  },
  { key: "agent", title: "Agent", width: "1fr", isExtra: true, render: (call) => call.agent_name ?? "–" },
  {
    key: "summary",
    title: "What was found out",
    width: "2fr",
    isExtra: true,
    render: (call) => call.summary ?? "–",
  },
  {
    key: "sentiment",
    title: "Sentiment",
    width: "6rem",
    render: (call) =>
      call.user_sentiment === "Unknown" ? "–" : <StatusBadge of="sentiment" state={call.user_sentiment} />,
  },
  {
    key: "length",
    title: "Length",
    width: "4rem",
    align: "right",
    render: (call) => callLength(call.call_duration_ms),
  },
  { key: "when", title: "When", width: "8rem", align: "right", render: (call) => <Time at={call.start_timestamp} /> },
];
