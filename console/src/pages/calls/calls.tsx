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
          rowKey={(it) => it.call_id}
          to={(it) => `/calls/${it.call_id}`}
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
  { key: "number", title: "With", width: "9rem", render: (it) => <PhoneNumber number={otherSide(it)} /> },
  { key: "status", title: "State", width: "8rem", render: (it) => <StatusBadge of="call" state={it.call_status} /> },
  {
    key: "end",
    title: "How it ended",
    width: "1.6fr",
    render: (it) => (it.disconnection_reason ? reasonOf(it.disconnection_reason) : "–"),
  },
  {
    key: "summary",
    title: "What was said",
    width: "2fr",
    isExtra: true,
    render: (it) => it.summary ?? "–",
  },
  {
    key: "sentiment",
    title: "Mood",
    width: "6rem",
    render: (it) => (it.user_sentiment === "Unknown" ? "–" : <StatusBadge of="sentiment" state={it.user_sentiment} />),
  },
  { key: "success", title: "Objective", width: "5rem", isExtra: true, render: (it) => objective(it) },
  {
    key: "length",
    title: "Length",
    width: "4rem",
    align: "right",
    render: (it) => callLength(it.call_duration_ms),
  },
  {
    key: "cost",
    title: "Cost",
    width: "5rem",
    align: "right",
    isExtra: true,
    render: (it) => <Money amount={it.cost?.total} />,
  },
  { key: "when", title: "When", width: "8rem", align: "right", render: (it) => <Time at={it.start_timestamp} /> },
];

const objective = (it: Call): string =>
  it.call_status !== "ended" || it.call_duration_ms === 0 ? "–" : it.call_successful ? "Met" : "Not met";
