import { Group, SegmentedControl } from "@mantine/core";
import type { Item } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { percent, whole } from "#parts/show/figures.tsx";
import { Time } from "#parts/show/time.tsx";
import { ImportBadge } from "./import-badge.tsx";

const VIEWS = [
  { value: "lists", label: "Lists" },
  { value: "imports", label: "Imports" },
];

/** Lists of contacts, and the imports that made them. */
export function Component() {
  const [{ view = "lists" }, change] = useSearchFilters(["view"]);
  const action = useCan("write") && <LinkButton to="/lists/import">Import contacts</LinkButton>;
  return (
    <>
      <PageHeader title="Lists" about="Who a campaign may be sent to." actions={action} />
      <Group mb="md">
        <SegmentedControl
          aria-label="What is shown"
          data={VIEWS}
          value={view}
          onChange={(next) => change({ view: next === "lists" ? null : next })}
        />
      </Group>
      {view === "imports" ? <Imports action={action} /> : <Lists action={action} />}
    </>
  );
}

function Lists({ action }: { action: React.ReactNode }) {
  const { organization_id } = useOrganization();
  const lists = usePages("GET /v1/contacts/lists", "lists", { query: { organization_id } });
  return (
    <DataTable
      label="Lists"
      list={lists}
      columns={LISTS}
      rowKey={(it) => it.list_id}
      to={(it) => `/lists/${encodeURIComponent(it.list_id)}`}
      empty={
        <EmptyState
          title="No lists yet"
          text="Import a file from a spreadsheet or a CRM: every import makes a list that campaigns can be sent to."
          action={action}
        />
      }
    />
  );
}

const LISTS: readonly Column<Item<"GET /v1/contacts/lists">>[] = [
  { key: "name", title: "List", width: "2fr", render: (it) => it.list_name },
  { key: "count", title: "Contacts", width: "8rem", align: "right", render: (it) => whole(it.count) },
  { key: "when", title: "Made", width: "9rem", align: "right", render: (it) => <Time at={it.created_at} /> },
];

function Imports({ action }: { action: React.ReactNode }) {
  const { organization_id } = useOrganization();
  const imports = usePages("GET /v1/contacts/imports", "imports", { query: { organization_id } });
  return (
    <DataTable
      label="Imports"
      list={imports}
      columns={IMPORTS}
      rowKey={(it) => it.import_id}
      to={(it) => `/lists/imports/${encodeURIComponent(it.import_id)}`}
      empty={<EmptyState title="Nothing was imported yet" text="Files of contacts show up here." action={action} />}
    />
  );
}

const IMPORTS: readonly Column<Item<"GET /v1/contacts/imports">>[] = [
  { key: "file", title: "File", width: "2fr", render: (it) => it.file_name },
  { key: "state", title: "State", width: "8rem", render: (it) => <ImportBadge state={it.status} /> },
  {
    key: "progress",
    title: "Read",
    width: "4rem",
    align: "right",
    isExtra: true,
    render: (it) => percent(it.progress, 1),
  },
  { key: "created", title: "New", width: "6rem", align: "right", render: (it) => whole(it.created) },
  { key: "updated", title: "Updated", width: "6rem", align: "right", render: (it) => whole(it.updated) },
  { key: "failed", title: "Not taken", width: "6rem", align: "right", render: (it) => whole(it.failed) },
  { key: "when", title: "Started", width: "9rem", align: "right", render: (it) => <Time at={it.created_at} /> },
];
