import { SegmentedControl, Stack, Text } from "@mantine/core";
import { usePages } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { IconMessage, IconPhone } from "#parts/icons/tabler.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { whole } from "#parts/show/figures.tsx";
import { Time } from "#parts/show/time.tsx";
import classes from "./agents.module.css";
import type { Agent } from "./draft.ts";

const TYPES = [
  { value: "", label: "All" },
  { value: "sms", label: "By text" },
  { value: "voice", label: "By phone" },
];

/** Every agent of the organization, newest first. */
export function Component() {
  const { organization_id } = useOrganization();
  const mayWrite = useCan("write");
  const [filters, setFilters] = useSearchFilters(["type"]);
  const type = filters.type as Agent["agent_type"] | undefined;
  const list = usePages("GET /v1/agents", "agents", {
    query: { organization_id, ...(type ? { agent_type: type } : {}) },
  });
  const create = mayWrite && <LinkButton to={`/agents/new${type ? `?type=${type}` : ""}`}>New agent</LinkButton>;
  return (
    <>
      <PageHeader title="Agents" actions={create} />
      <Stack gap="sm" align="stretch">
        <SegmentedControl
          aria-label="Kind of agent"
          data={TYPES}
          value={type ?? ""}
          onChange={(value) => setFilters({ type: value })}
          style={{ alignSelf: "flex-start" }}
        />
        <DataTable
          label="Agents"
          list={list}
          columns={COLUMNS}
          rowKey={(agent) => agent.agent_id}
          to={(agent) => `/agents/${encodeURIComponent(agent.agent_id)}`}
          empty={
            type ? (
              <EmptyState title={type === "sms" ? "No agent texts yet" : "No agent calls yet"} action={create} />
            ) : (
              <EmptyState
                title="No agent yet"
                text="An agent holds the conversations of your campaigns, by text or by phone: you say what it is for and what it shall find out."
                action={create}
              />
            )
          }
        />
      </Stack>
    </>
  );
}

const COLUMNS: readonly Column<Agent>[] = [
  { key: "name", title: "Agent", width: "2fr", render: (agent) => agent.agent_name },
  {
    key: "type",
    title: "Works",
    width: "7.5rem",
    render: ({ agent_type }) => (
      <span className={classes.kind}>
        {agent_type === "sms" ? <IconMessage size={15} aria-hidden /> : <IconPhone size={15} aria-hidden />}
        {agent_type === "sms" ? "By text" : "By phone"}
      </span>
    ),
  },
  {
    key: "prompt",
    title: "Instructions",
    width: "4fr",
    isExtra: true,
    render: (agent) => (
      <Text span inherit c="dimmed" truncate>
        {agent.prompt}
      </Text>
    ),
  },
  {
    key: "finds",
    title: "Finds out",
    width: "6rem",
    align: "right",
    isExtra: true,
    render: (agent) => whole(agent.extraction_fields?.length ?? 0),
  },
  { key: "version", title: "Version", width: "5rem", align: "right", render: (agent) => whole(agent.version) },
  {
    key: "updated",
    title: "Changed",
    width: "8rem",
    align: "right",
    render: (agent) => <Time at={agent.updated_at} />,
  },
];
