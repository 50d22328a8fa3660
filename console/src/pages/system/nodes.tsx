import { Badge, Stack, Text, Title } from "@mantine/core";
import type { Answer } from "#api/operations.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { Time } from "#parts/show/time.tsx";

type Node = Answer<"GET /v1/system">["system"]["nodes"][number];

const ROLES: Readonly<Record<string, string>> = { worker: "Worker: texts", media: "Media: calls" };

const COLUMNS: readonly Column<Node>[] = [
  {
    key: "role",
    title: "Role",
    width: "2fr",
    render: ({ roles }) => roles.map((role) => ROLES[role] ?? role).join(", "),
  },
  {
    key: "state",
    title: "State",
    width: "7rem",
    render: ({ is_alive }) => (
      <Badge className="parley-tone" data-tone={is_alive ? "good" : "plain"}>
        {is_alive ? "Runs" : "Lost"}
      </Badge>
    ),
  },
  {
    key: "seen",
    title: "Last seen",
    width: "9rem",
    render: (node) => (node.is_alive ? "Now" : <Time at={node.last_seen_at} isReal />),
  },
  {
    key: "since",
    title: "Started",
    width: "9rem",
    align: "right",
    render: ({ started_at }) => <Time at={started_at} isReal />,
  },
];

/** The processes that do the work. */
export function Nodes({ nodes, apiSince }: { nodes: readonly Node[]; apiSince: string }) {
  return (
    <Stack component="section" aria-label="Nodes" gap="sm">
      <Title order={2}>Nodes</Title>
      <Text size="sm" c="dimmed">
        This page was answered by an API node that was started <Time at={apiSince} isReal />.
      </Text>
      <DataTable
        label="Nodes"
        list={{ rows: nodes }}
        columns={COLUMNS}
        rowKey={({ node_id }) => node_id}
        empty={
          <EmptyState
            title="No node runs"
            text="Start “parley worker” and “parley media”: until then nothing is sent."
          />
        }
      />
    </Stack>
  );
}
