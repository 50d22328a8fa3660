import { Badge, Button, Checkbox, Group, Select, Stack } from "@mantine/core";
import { useState } from "react";
import { pathOf } from "#api/client.ts";
import type { Item } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { contactName, fieldsOf } from "#parts/form/contact-fields.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { SearchField } from "#parts/form/search-field.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { IconDownload } from "#parts/icons/tabler.ts";
import { useShortcuts } from "#parts/keyboard/use-shortcuts.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { formatPhone, PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import type { Chosen, Filter } from "./bulk-words.ts";
import { ContactDrawer } from "./contact-drawer.tsx";

type Lead = Item<"GET /v1/contacts/leads">;

const NAMES = ["search", "list", "opted_out", "tag", "contact"] as const;
const NOBODY: Chosen = { ids: [] };

/** Everybody who is known to the organization, and all about one of them beside the list. */
export function Component() {
  const { organization_id } = useOrganization();
  const mayWrite = useCan("write");
  const [{ search, list, opted_out, tag, contact }, change] = useSearchFilters(NAMES);
  const filter: Filter = {
    ...(search ? { search } : {}),
    ...(list ? { list_id: list } : {}),
    ...(opted_out ? { opted_out: opted_out === "yes" } : {}),
    ...(tag ? { tag } : {}),
  };
  const contacts = usePages("GET /v1/contacts/leads", "leads", {
    query: { organization_id, ...filter },
  });
  const isFiltered = Object.keys(filter).length > 0;
  const { chosen, choose, columns } = useChoice(contacts.rows, filter, mayWrite);
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
            placeholder="Beginning of a name, or a number"
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
          <SearchField
            label="With the tag"
            placeholder="Tag"
            value={tag}
            onChange={(next) => change({ tag: next })}
            isSecond
          />
        </Group>
        {/* There while the rows are on their way, too: the table does not move when they come. */}
        {mayWrite && (contacts.isPending || contacts.rows.length > 0) && (
          <BulkBar
            shown={contacts.rows.map(({ unique_id }) => unique_id)}
            hasMore={contacts.hasNextPage}
            chosen={chosen}
            filter={filter}
            choose={choose}
          />
        )}
        <DataTable
          label="Contacts"
          list={contacts}
          columns={columns}
          rowKey={(contact) => contact.unique_id}
          open={(contact) => change({ contact: contact.unique_id })}
          empty={
            isFiltered ? (
              <EmptyState
                title="No matching contacts"
                text="Names are found by how they begin, numbers by their first digits with the area code, or by the last seven."
                action={
                  <Button
                    variant="default"
                    onClick={() => change({ search: null, list: null, opted_out: null, tag: null })}
                  >
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

/** Who is chosen. Whoever looks for others chooses anew. The key x chooses the row that one is on. */
function useChoice(rows: readonly Lead[], filter: Filter, mayChoose: boolean) {
  const of = JSON.stringify(filter);
  const [made, setMade] = useState<{ of: string; chosen: Chosen }>({ of, chosen: NOBODY });
  const chosen = made.of === of ? made.chosen : NOBODY;
  const choose = (next: Chosen) => setMade({ of, chosen: next });
  const has = (id: string): boolean => !("ids" in chosen) || chosen.ids.includes(id);
  const turn = (id: string) => {
    // All that match, except one, is nothing that can be asked for: it is cleared before others are chosen.
    if (!("ids" in chosen)) return;
    const { ids } = chosen;
    choose({ ids: ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id] });
  };
  useShortcuts(
    mayChoose
      ? {
          choose: () => {
            const at = document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset.row;
            const row = at === undefined ? undefined : rows[Number(at)];
            if (row) turn(row.unique_id);
          },
        }
      : {},
  );
  const name: Column<Lead> = {
    key: "name",
    title: "Name",
    width: "1.4fr",
    render: (contact) => {
      const shown = contactName(contact);
      return (
        <Group gap="sm" wrap="nowrap">
          {mayChoose && (
            <Checkbox
              size="xs"
              aria-label={`Choose ${shown ?? formatPhone(contact.phone_number)}`}
              checked={has(contact.unique_id)}
              disabled={!("ids" in chosen)}
              onChange={() => turn(contact.unique_id)}
            />
          )}
          <b>{shown ?? <PhoneNumber number={contact.phone_number} />}</b>
        </Group>
      );
    },
  };
  return { chosen, choose, columns: [name, ...COLUMNS] };
}

/** The first tags, as they are separated in the field. */
function Tags({ of }: { of: string | undefined }) {
  const tags = (of ?? "").split(/[,;]/).flatMap((tag) => tag.trim() || []);
  if (tags.length === 0) return "–";
  return (
    <Group gap={4} wrap="nowrap">
      {tags.slice(0, 3).map((tag) => (
        <Badge key={tag} variant="default" tt="none">
          {tag}
        </Badge>
      ))}
      {tags.length > 3 && `+${tags.length - 3}`}
    </Group>
  );
}

const COLUMNS: readonly Column<Lead>[] = [
  {
    key: "phone",
    title: "Number",
    width: "9.5rem",
    render: (contact) => <PhoneNumber number={contact.phone_number} />,
  },
  { key: "place", title: "Place", isExtra: true, render: (contact) => fieldsOf(contact, "city", "state") ?? "–" },
  { key: "company", title: "Company", isExtra: true, render: (contact) => fieldsOf(contact, "company_name") ?? "–" },
  { key: "tags", title: "Tags", isExtra: true, render: (contact) => <Tags of={fieldsOf(contact, "tags")} /> },
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
