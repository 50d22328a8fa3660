import { Button, Group, Select, Stack } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { pathOf } from "#api/client.ts";
import type { Item } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { contactName, fieldsOf } from "#parts/form/contact-fields.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { SearchField } from "#parts/form/search-field.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { ContactDrawer } from "./contact-drawer.tsx";

type Lead = Item<"GET /v1/contacts/leads">;

const NAMES = ["search", "list", "opted_out", "contact"] as const;

/** Everybody who is known to the organization, and all about one of them beside the list. */
export function Component() {
  const { organization_id } = useOrganization();
  const mayWrite = useCan("write");
  const [{ search, list, opted_out, contact }, change] = useSearchFilters(NAMES);
  const contacts = usePages("GET /v1/contacts/leads", "leads", {
    query: {
      organization_id,
      ...(search ? { search } : {}),
      ...(list ? { list_id: list } : {}),
      ...(opted_out ? { opted_out: opted_out === "yes" } : {}),
    },
  });
  const isFiltered = [search, list, opted_out].some((filter) => filter !== undefined);
  const importing = mayWrite && <LinkButton to="/lists/import">Import contacts</LinkButton>;
  return (
    <>
      <PageHeader
        title="Contacts"
        about="Everybody who was imported, added to a campaign, or wrote to you."
        actions={
          <>
            {importing}
            <Button
              component="a"
              variant="default"
              leftSection={<IconDownload size={15} aria-hidden />}
              href={pathOf("GET /v1/contacts/leads/export.csv", { query: { organization_id } })}
              download
            >
              Export all as CSV
            </Button>
          </>
        }
      />
      <Stack gap="md">
        <Group gap="sm">
          <SearchField
            label="Find a contact"
            placeholder="Beginning of a name or number"
            value={search}
            onChange={(next) => change({ search: next })}
          />
          <ListSelect value={list} onChange={(next) => change({ list: next })} />
          <Select
            aria-label="Opted out"
            w={{ base: "100%", xs: 180 }}
            allowDeselect={false}
            data={[
              { value: "any", label: "Opted out or not" },
              { value: "no", label: "Not opted out" },
              { value: "yes", label: "Opted out" },
            ]}
            value={opted_out ?? "any"}
            onChange={(next) => change({ opted_out: next === "any" ? null : next })}
          />
        </Group>
        <DataTable
          label="Contacts"
          list={contacts}
          columns={COLUMNS}
          rowKey={(contact) => contact.unique_id}
          open={(contact) => change({ contact: contact.unique_id })}
          empty={
            isFiltered ? (
              <EmptyState
                title="Nobody is like that"
                text="Names are found by how they begin, numbers by their first digits with the area code."
                action={
                  <Button variant="default" onClick={() => change({ search: null, list: null, opted_out: null })}>
                    Show all
                  </Button>
                }
              />
            ) : (
              <EmptyState
                title="No contacts yet"
                text="Import a file from a spreadsheet or a CRM to have somebody to text and call."
                action={importing}
              />
            )
          }
        />
      </Stack>
      <ContactDrawer id={contact} close={() => change({ contact: null })} />
    </>
  );
}

const COLUMNS: readonly Column<Lead>[] = [
  {
    key: "name",
    title: "Name",
    width: "1.4fr",
    render: (contact) => <b>{contactName(contact) ?? <PhoneNumber number={contact.phone_number} />}</b>,
  },
  {
    key: "phone",
    title: "Number",
    width: "9.5rem",
    render: (contact) => <PhoneNumber number={contact.phone_number} />,
  },
  { key: "place", title: "Place", isExtra: true, render: (contact) => fieldsOf(contact, "city", "state") ?? "–" },
  { key: "company", title: "Company", isExtra: true, render: (contact) => fieldsOf(contact, "company_name") ?? "–" },
  {
    key: "opted",
    title: "Texts and calls",
    width: "8rem",
    render: (contact) => (contact.opted_out_at ? <StatusBadge of="recipient" state="opted_out" /> : "Can contact"),
  },
  {
    key: "when",
    title: "Changed",
    width: "8rem",
    align: "right",
    render: (contact) => <Time at={contact.updated_at} />,
  },
];

/** The newest hundred lists; the one that is chosen is named even where it is older. */
function ListSelect({ value, onChange }: { value: string | undefined; onChange: (value: string | null) => void }) {
  const { organization_id } = useOrganization();
  const lists = usePages("GET /v1/contacts/lists", "lists", { query: { organization_id } });
  const known = lists.rows.map(({ list_id, list_name }) => ({ value: list_id, label: list_name }));
  const isKnown = value === undefined || known.some((option) => option.value === value);
  return (
    <Select
      aria-label="On the list"
      w={{ base: "100%", xs: 220 }}
      searchable
      clearable
      placeholder="On any list"
      nothingFoundMessage="No list is called so"
      clearButtonProps={{ "aria-label": "Any list" }}
      data={isKnown ? known : [...known, { value, label: "An older list" }]}
      value={value ?? null}
      onChange={onChange}
    />
  );
}
