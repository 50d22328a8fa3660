import { Button, Stack } from "@mantine/core";
import type { Item } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { callLength, Money } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { reasonOf } from "#parts/show/words.ts";
import { CallFilters, queryOf, useCallFilters } from "./filters.tsx";
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
                title="No call is like that"
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
  { key: "number", title: "With", width: "9rem", render: (call) => <PhoneNumber number={otherSide(call)} /> },
  {
    key: "status",
    title: "State",
    width: "8rem",
    render: (call) => <StatusBadge of="call" state={call.call_status} />,
  },
  {
    key: "end",
    title: "How it ended",
    width: "1.6fr",
    render: (call) => (call.disconnection_reason ? reasonOf(call.disconnection_reason) : "–"),
  },
  {
    key: "summary",
    title: "What was said",
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
  { key: "success", title: "Objective", width: "5rem", isExtra: true, render: (call) => objective(call) },
  {
    key: "length",
    title: "Length",
    width: "4rem",
    align: "right",
    render: (call) => callLength(call.call_duration_ms),
  },
  {
    key: "cost",
    title: "Cost",
    width: "5rem",
    align: "right",
    isExtra: true,
    render: (call) => <Money amount={call.cost?.total} />,
  },
  { key: "when", title: "When", width: "8rem", align: "right", render: (call) => <Time at={call.start_timestamp} /> },
];

const objective = (call: Call): string =>
  call.call_status !== "ended" || call.call_duration_ms === 0 ? "–" : call.call_successful ? "Met" : "Not met";
