import { Badge, Group, Paper, Select, Stack, Text, Title } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { Item } from "#api/operations.ts";
import { usePages, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { Time } from "#parts/show/time.tsx";
import classes from "./agents.module.css";
import { diffLines, type Side } from "./diff.ts";
import type { Agent } from "./draft.ts";
import { type Changed, changedFields } from "./field-names.ts";

type Version = Item<"GET /v1/agents/:agent_id/versions">;

/** What the agent was, and what each version changed. */
export function Versions({ agent }: { agent: Agent }) {
  const { agent_id } = agent;
  const [filters, setFilters] = useSearchFilters(["version", "against"]);
  const params = { agent_id };
  const list = usePages("GET /v1/agents/:agent_id/versions", "versions", { params });
  const index = list.rows.findIndex(({ version }) => String(version) === filters.version);
  const shown = list.rows[index];
  return (
    <Stack gap="lg">
      {shown && (
        <Change
          key={shown.version}
          agent={agent}
          shown={shown}
          rows={list.rows}
          before={list.rows.find(({ version }) => String(version) === filters.against) ?? list.rows[index + 1]}
          compareWith={(version) => setFilters({ against: version === shown.version - 1 ? null : String(version) })}
        />
      )}
      <DataTable
        label="Versions"
        list={list}
        columns={columnsOf(list.rows)}
        rowKey={(version) => String(version.version)}
        open={(version) => setFilters({ version: String(version.version), against: null })}
        empty={<EmptyState title="There is no version" />}
      />
      {!list.isPending && (
        <Group>
          <CopyAsCurl operation="GET /v1/agents/:agent_id/versions" args={{ params }} />
        </Group>
      )}
    </Stack>
  );
}

const columnsOf = (rows: readonly Version[]): readonly Column<Version>[] => [
  {
    key: "version",
    title: "Version",
    width: "9rem",
    render: ({ version, is_current }) => (
      <Group gap="xs" wrap="nowrap">
        {version}
        {is_current && <Badge size="sm">Current</Badge>}
      </Group>
    ),
  },
  {
    key: "changes",
    title: "Changed",
    width: "4fr",
    render: (version) => {
      if (version.version === 1) return "The first one";
      const before = rows[rows.indexOf(version) + 1];
      const fields = before ? changedFields(before, version).map(({ label }) => label) : [];
      return fields.length === 0 ? "–" : fields.join(", ");
    },
  },
  { key: "created", title: "Saved", width: "9rem", render: (version) => <Time at={version.created_at} /> },
];

/** One version beside another, the one before it at first, and beside what the agent is now. */
function Change({
  agent,
  shown,
  rows,
  before,
  compareWith,
}: {
  agent: Agent;
  shown: Version;
  rows: readonly Version[];
  before: Version | undefined;
  compareWith: (version: number) => void;
}) {
  const mayWrite = useCan("write");
  const title = useRef<HTMLHeadingElement>(null);
  const restore = useSend("POST /v1/agents/:agent_id/versions/:version/restore", [
    "GET /v1/agents",
    "GET /v1/agents/:agent_id",
    "GET /v1/agents/:agent_id/script",
    "GET /v1/agents/:agent_id/versions",
  ]);
  const { version, is_current } = shown;
  const changes = before ? changedFields(before, shown) : [];
  const since = changedFields(shown, agent);
  useEffect(() => {
    // Newer browsers answer with a promise, which is no way to clean up.
    void title.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <Paper p="lg" component="section" aria-label={`Version ${version}`}>
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} ref={title}>
            Version {version}
            {before &&
              (before.version === version - 1 ? ": what it changed" : ` compared with version ${before.version}`)}
          </Title>
          {mayWrite && !is_current && (
            <ConfirmButton
              title={`Restore version ${version}?`}
              text={
                <>
                  The agent becomes what it was then, as version {agent.version + 1}. What changes:{" "}
                  {since.map(({ label }) => label).join(", ") || "nothing"}.
                </>
              }
              confirm="Restore"
              color="pine"
              onConfirm={() => restore.mutateAsync({ params: { agent_id: agent.agent_id, version: String(version) } })}
            >
              Restore
            </ConfirmButton>
          )}
        </Group>
        {rows.length > 1 && (
          <Select
            label="Compare with"
            maw={220}
            allowDeselect={false}
            data={rows
              .filter((row) => row !== shown)
              .map((row) => ({ value: String(row.version), label: `Version ${row.version}` }))}
            value={before === undefined ? null : String(before.version)}
            onChange={(other) => other !== null && compareWith(Number(other))}
          />
        )}
        {version === 1 && before === undefined && <Text c="dimmed">Nothing came before it.</Text>}
        {version > 1 && before === undefined && <Text c="dimmed">Scroll the list down to load the one before it.</Text>}
        {before && changes.length === 0 && <Text c="dimmed">The two are the same.</Text>}
        {changes.map((change) => (
          <FieldDiff key={change.name} changed={change} />
        ))}
      </Stack>
    </Paper>
  );
}

const MARKS: Record<Side, string> = { same: "  ", added: "+ ", removed: "- " };

function FieldDiff({ changed: { label, before, after } }: { changed: Changed }) {
  return (
    <div>
      <Title order={3} mb={4}>
        {label}
      </Title>
      <section className={classes.diff} aria-label={`Change of ${label}`}>
        {diffLines(before, after).map(({ side, parts }, index) => {
          const Line = side === "added" ? "ins" : side === "removed" ? "del" : "span";
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and none of them moves.
            <Line key={index} className={classes.line} data-side={side}>
              {MARKS[side]}
              {parts.map(({ text, isNew }, place) =>
                // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                isNew ? <strong key={place}>{text}</strong> : text,
              )}
            </Line>
          );
        })}
      </section>
    </div>
  );
}
