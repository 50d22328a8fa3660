import { Text } from "@mantine/core";
import type { Item } from "#api/operations.ts";
import { useAnswer, usePages } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { percent, whole } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { Time } from "#parts/show/time.tsx";
import { NumbersHead } from "./head.tsx";
import { type Health, HealthBadge } from "./health.tsx";
import { NumberDrawer } from "./number-drawer.tsx";

export type OwnNumber = Item<"GET /v1/voice/phone-numbers">;
type Row = OwnNumber & { month: Health | undefined; agentName: string | undefined };

/** The numbers that the organization calls from and is called on. */
export function Component() {
  const { organization_id } = useOrganization();
  const mayWrite = useCan("write");
  const [{ number }, setFilters] = useSearchFilters(["number"]);
  const list = usePages("GET /v1/voice/phone-numbers", "phone_numbers", { query: { organization_id } });
  const months = useAnswer("GET /v1/voice/phone-numbers/health", { query: { organization_id } }).data?.numbers ?? [];
  const agents =
    useAnswer("GET /v1/agents", { query: { organization_id, agent_type: "voice", limit: 500 } }).data?.agents ?? [];
  const rows = list.rows.map((row) => ({
    ...row,
    month: months.find(({ phone_number }) => phone_number === row.phone_number),
    agentName: agents.find(({ agent_id }) => agent_id === row.agent_id)?.agent_name,
  }));
  const shown = rows.find(({ phone_number }) => phone_number === number);
  const get = mayWrite && <LinkButton to="/numbers/new">Get a number</LinkButton>;
  return (
    <>
      <NumbersHead
        title="Numbers"
        about="What you call from, who answers when somebody calls back, and how each number fares."
        actions={get}
      />
      <DataTable
        label="Numbers"
        list={{ ...list, rows }}
        columns={COLUMNS}
        rowKey={(row) => row.phone_number}
        open={(row) => setFilters({ number: row.phone_number })}
        empty={
          <EmptyState
            title="No number yet"
            text="Voice campaigns and single calls are made from numbers of yours, and an agent answers who calls back."
            action={get}
          />
        }
      />
      <NumberDrawer
        key={shown?.phone_number}
        number={shown}
        month={shown?.month}
        agents={agents}
        close={() => setFilters({ number: null })}
      />
    </>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { key: "number", title: "Number", width: "10rem", render: (row) => <PhoneNumber number={row.phone_number} /> },
  {
    key: "health",
    title: "Health",
    width: "7rem",
    render: (row) => <HealthBadge health={row.month} rest={row.health} />,
  },
  {
    key: "agent",
    title: "Answered by",
    width: "1.5fr",
    render: (row) =>
      row.agent_id === null ? (
        <Text span inherit c="dimmed">
          Nobody
        </Text>
      ) : (
        (row.agentName ?? "An agent")
      ),
  },
  {
    key: "calls",
    title: "Calls, 30 days",
    width: "7rem",
    align: "right",
    render: (row) => whole(row.month?.calls ?? 0),
  },
  {
    key: "answered",
    title: "Answered",
    width: "6rem",
    align: "right",
    render: (row) => percent(row.month?.connected ?? 0, row.month?.placed ?? 0),
  },
  {
    key: "failed",
    title: "Failed",
    width: "5rem",
    align: "right",
    isExtra: true,
    render: (row) => whole(row.month?.failed ?? 0),
  },
  {
    key: "account",
    title: "Account",
    width: "8rem",
    isExtra: true,
    render: (row) => row.carrier_name ?? "–",
  },
  {
    key: "used",
    title: "Last used",
    width: "8rem",
    render: (row) => (row.month ? <Time at={row.month.last_call_at} /> : "–"),
  },
  {
    key: "since",
    title: "Yours since",
    width: "8rem",
    isExtra: true,
    render: (row) => <Time at={row.created_at} isReal />,
  },
];
