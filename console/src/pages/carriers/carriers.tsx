import { Badge, Text } from "@mantine/core";
import { usePages } from "#api/query.ts";
import { useCan, useSession } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { OnlyLive } from "#parts/page/only-live.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { whole } from "#parts/show/figures.tsx";
import { ListWithDetail } from "#parts/show/list-with-detail.tsx";
import { Time } from "#parts/show/time.tsx";
import { CarrierDetail } from "./carrier-detail.tsx";
import { type Carrier, KINDS, statusOf } from "./kinds.ts";

/** The accounts by which real phones are texted and called: how each is, and what is wrong with it. */
export function Component() {
  const { mode } = useSession();
  const maySee = useCan("read", { tenantWide: true });
  const isAdmin = useCan("admin", { tenantWide: true });
  const carriers = usePages("GET /v1/carriers", "carriers", mode === "live" && maySee ? {} : undefined);
  const connect = isAdmin && mode === "live" && <LinkButton to="/carriers/new">Connect a carrier</LinkButton>;
  return (
    <>
      <PageHeader title="Carriers" about="The accounts by which real phones are texted and called." actions={connect} />
      <OnlyLive>
        <ListWithDetail
          label="Carriers"
          list={carriers}
          columns={COLUMNS}
          rowKey={({ carrier_id }) => carrier_id}
          param="carrier"
          title={({ name }) => name}
          detail={(carrier, close) => <CarrierDetail key={carrier.carrier_id} carrier={carrier} close={close} />}
          empty={
            <EmptyState
              title="No carrier yet"
              text="Connect your account with Twilio or Telnyx, an SMPP gateway or a SIP trunk: paste two values, see what will change, and send."
              action={connect}
            />
          }
        />
      </OnlyLive>
    </>
  );
}

export function StatusOf({ of }: { of: Carrier }) {
  const { label, tone } = statusOf(of);
  return (
    <Badge className="parley-tone" data-tone={tone}>
      {label}
    </Badge>
  );
}

const COLUMNS: readonly Column<Carrier>[] = [
  { key: "name", title: "Name", width: "1fr", render: ({ name }) => <b>{name}</b> },
  { key: "kind", title: "Carrier", width: "7rem", render: ({ kind }) => KINDS[kind].label },
  { key: "status", title: "Status", width: "9rem", render: (carrier) => <StatusOf of={carrier} /> },
  {
    key: "problem",
    title: "What is wrong",
    width: "2fr",
    isExtra: true,
    render: ({ problem }) => (
      <Text span inherit c="dimmed" truncate title={problem ?? undefined}>
        {problem ?? "–"}
      </Text>
    ),
  },
  {
    key: "numbers",
    title: "Numbers",
    width: "6rem",
    align: "right",
    render: ({ numbers_count }) => whole(numbers_count),
  },
  {
    key: "checked",
    title: "Last checked",
    width: "8rem",
    align: "right",
    render: ({ last_checked_at }) => (last_checked_at === null ? "Never" : <Time at={last_checked_at} isReal />),
  },
];
