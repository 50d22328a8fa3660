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
      rowKey={(list) => list.list_id}
      to={(list) => `/lists/${encodeURIComponent(list.list_id)}`}
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
  { key: "name", title: "List", width: "2fr", render: (list) => list.list_name },
  { key: "count", title: "Contacts", width: "8rem", align: "right", render: (list) => whole(list.count) },
  { key: "when", title: "Made", width: "9rem", align: "right", render: (list) => <Time at={list.created_at} /> },
];

function Imports({ action }: { action: React.ReactNode }) {
  const { organization_id } = useOrganization();
  const imports = usePages("GET /v1/contacts/imports", "imports", { query: { organization_id } });
  return (
    <DataTable
      label="Imports"
      list={imports}
      columns={IMPORTS}
      rowKey={(fileImport) => fileImport.import_id}
      to={(fileImport) => `/lists/imports/${encodeURIComponent(fileImport.import_id)}`}
      empty={<EmptyState title="Nothing was imported yet" text="Files of contacts show up here." action={action} />}
    />
  );
}

const IMPORTS: readonly Column<Item<"GET /v1/contacts/imports">>[] = [
  { key: "file", title: "File", width: "2fr", render: (fileImport) => fileImport.file_name },
  { key: "state", title: "State", width: "8rem", render: (fileImport) => <ImportBadge state={fileImport.status} /> },
  {
    key: "progress",
    title: "Read",
    width: "4rem",
    align: "right",
    isExtra: true,
    render: (fileImport) => percent(fileImport.progress, 1),
  },
  { key: "created", title: "New", width: "6rem", align: "right", render: (fileImport) => whole(fileImport.created) },
  {
    key: "updated",
    title: "Updated",
    width: "6rem",
    align: "right",
    render: (fileImport) => whole(fileImport.updated),
  },
  {
    key: "failed",
    title: "Not taken",
    width: "6rem",
    align: "right",
    render: (fileImport) => whole(fileImport.failed),
  },
  {
    key: "when",
    title: "Started",
    width: "9rem",
    align: "right",
    render: (fileImport) => <Time at={fileImport.created_at} />,
  },
];
