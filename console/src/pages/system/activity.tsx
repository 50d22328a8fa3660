import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { pathOf } from "#api/client.ts";
import { usePages } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { SearchField } from "#parts/form/search-field.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { IconDownload } from "#parts/icons/tabler.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { ListWithDetail } from "#parts/show/list-with-detail.tsx";
import { Time } from "#parts/show/time.tsx";
import { type Entry, EntryDetail, inWords, Outcome, thing, useVerification, whoOf } from "./audit-entry.tsx";
import { SystemHead } from "./head.tsx";

const ACTORS = [
  { value: "person", label: "People" },
  { value: "key", label: "API keys" },
  { value: "command", label: "The command line" },
  { value: "system", label: "The service itself" },
  { value: "unknown", label: "Not signed in" },
] as const;
const OUTCOMES = [
  { value: "done", label: "Done" },
  { value: "refused", label: "Refused" },
] as const;
const NAMES = ["by", "user_id", "what", "object", "result", "from", "to", "search"] as const;
const NONE = Object.fromEntries(NAMES.map((name) => [name, null]));

/** Who changed what: people, API keys, commands and the service itself, the newest first. */
export function Component() {
  return useCan("admin") ? (
    <AuditLog />
  ) : (
    <>
      <SystemHead title="Audit log" about={ABOUT} />
      <EmptyState title="For admins" text="The audit log is shown to admins. Ask one of yours." />
    </>
  );
}

const ABOUT = "Who changed what, from where, and what it was before. Nobody can change it";

function AuditLog() {
  const [filters] = useSearchFilters(NAMES);
  const { button, result } = useVerification();
  const query = {
    actor: ACTORS.find(({ value }) => value === filters.by)?.value,
    outcome: OUTCOMES.find(({ value }) => value === filters.result)?.value,
    user_id: filters.user_id,
    operation: filters.what,
    // An id has an underscore, and a kind of thing no figures.
    ...(filters.object && (/\d/.test(filters.object) ? { object_id: filters.object } : { object: filters.object })),
    begin: midnight(filters.from, 0),
    end: midnight(filters.to, 1),
    search: filters.search,
  };
  const log = usePages("GET /v1/audit", "entries", { query });
  const isFiltered = NAMES.some((name) => filters[name] !== undefined);
  return (
    <>
      <SystemHead
        title="Audit log"
        about={ABOUT}
        actions={
          <>
            {button}
            <Button
              component="a"
              variant="default"
              leftSection={<IconDownload size={15} aria-hidden />}
              href={pathOf("GET /v1/audit/export.csv", { query })}
              download
            >
              Export as CSV
            </Button>
          </>
        }
      />
      <Stack gap="md">
        {result}
        <Filters />
        <ListWithDetail
          label="Audit log"
          list={log}
          columns={COLUMNS}
          rowKey={({ entry_id }) => entry_id}
          param="entry"
          title={({ operation }) => inWords(operation)}
          detail={(one) => <EntryDetail entry={one} />}
          empty={<Empty isFiltered={isFiltered} />}
        />
      </Stack>
    </>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  const [, setFilters] = useSearchFilters(NAMES);
  return (
    <EmptyState
      title={isFiltered ? "No such change" : "No change yet"}
      text="What people, API keys and commands change shows up here at once."
      action={
        isFiltered && (
          <Button variant="default" onClick={() => setFilters(NONE)}>
            Show all
          </Button>
        )
      }
    />
  );
}

function Filters() {
  const [filters, setFilters] = useSearchFilters(NAMES);
  const users = usePages("GET /v1/users", "users", {}).rows;
  const options = users.map(({ unique_id, name }) => ({ value: unique_id, label: name }));
  const { user_id } = filters;
  const isKnown = user_id === undefined || options.some(({ value }) => value === user_id);
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      <SearchField
        label="Search the audit log"
        placeholder="Words, an address, an id"
        value={filters.search}
        onChange={(search) => setFilters({ search })}
      />
      <Select
        aria-label="By"
        placeholder="By everybody"
        clearable
        w={{ base: "100%", xs: 170 }}
        data={ACTORS}
        value={filters.by ?? null}
        onChange={(by) => setFilters({ by })}
      />
      <Select
        aria-label="User"
        placeholder="Every user"
        clearable
        searchable
        nothingFoundMessage="Nobody is called so"
        w={{ base: "100%", xs: 170 }}
        data={isKnown ? options : [{ value: user_id, label: user_id }, ...options]}
        value={user_id ?? null}
        onChange={(value) => setFilters({ user_id: value })}
      />
      <SearchField
        isSecond
        label="What was done"
        placeholder="What: updateAgent"
        value={filters.what}
        onChange={(what) => setFilters({ what })}
      />
      <SearchField
        isSecond
        label="Object, or its id"
        placeholder="Object: agent"
        value={filters.object}
        onChange={(object) => setFilters({ object })}
      />
      <Select
        aria-label="Result"
        placeholder="Any result"
        clearable
        w={{ base: "100%", xs: 130 }}
        data={OUTCOMES}
        value={filters.result ?? null}
        onChange={(result) => setFilters({ result })}
      />
      {(["from", "to"] as const).map((end) => (
        <TextInput
          key={end}
          type="date"
          aria-label={end === "from" ? "First day" : "Last day"}
          leftSection={<Text size="xs">{end === "from" ? "From" : "To"}</Text>}
          leftSectionWidth={44}
          w={{ base: "47%", xs: 172 }}
          value={filters[end] ?? ""}
          onChange={(event) => setFilters({ [end]: event.currentTarget.value })}
        />
      ))}
    </Group>
  );
}

/** The day's beginning where the viewer is, or that of a later day's; undefined for no day. */
function midnight(day: string | undefined, daysOn: number): string | undefined {
  const [year, month, date] = (day ?? "").split("-").map(Number);
  if (!year || !month || !date) return undefined;
  return new Date(year, month - 1, date + daysOn).toISOString();
}

const COLUMNS: readonly Column<Entry>[] = [
  { key: "who", title: "Who", width: "1.2fr", render: (one) => <b>{whoOf(one)}</b> },
  { key: "what", title: "What", width: "1.4fr", render: ({ operation }) => inWords(operation) },
  {
    key: "object",
    title: "Object",
    width: "1.4fr",
    isExtra: true,
    render: ({ object, object_id }) => (
      <Text span inherit c="dimmed" truncate title={object_id ?? undefined}>
        {object === null ? "–" : `${thing(object)} ${object_id ?? ""}`}
      </Text>
    ),
  },
  { key: "address", title: "From", width: "9rem", isExtra: true, render: ({ address }) => address ?? "–" },
  { key: "result", title: "Result", width: "7rem", render: (one) => <Outcome of={one} /> },
  { key: "when", title: "When", width: "8rem", align: "right", render: ({ at }) => <Time at={at} isReal /> },
];
