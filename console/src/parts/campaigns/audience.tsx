import { Alert, Button, FileButton, Group, SegmentedControl, Select, Stack, Text, Textarea } from "@mantine/core";
import { useMemo } from "react";
import { usePages } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { type Pasted, readPasted } from "#parts/contact-table/pasted.ts";
import { ContactPreview } from "#parts/contact-table/preview-card.tsx";
import { whole } from "#parts/show/figures.tsx";
import { wordOf } from "#parts/show/words.ts";

/** Who is to be reached: a list that is stored, contacts that were pasted, or recipients of an earlier campaign. */
export type Audience = {
  kind: "list" | "paste" | "earlier";
  listId: string | null;
  text: string;
  from: { campaign_id: string; status?: string } | null;
};

export const NO_AUDIENCE: Audience = { kind: "list", listId: null, text: "", from: null };

/** The API's fields of an audience; contacts themselves have another name with each operation. */
export function audienceBody(audience: Audience): {
  contacts: Record<string, string>[] | undefined;
  list_id?: string;
  from_campaign?: { campaign_id: string; status?: string };
} {
  if (audience.kind === "paste") return { contacts: readPasted(audience.text).contacts };
  if (audience.kind === "list")
    return { contacts: undefined, ...(audience.listId ? { list_id: audience.listId } : {}) };
  return { contacts: undefined, ...(audience.from ? { from_campaign: audience.from } : {}) };
}

/** Whether somebody has been chosen at all. */
export function isChosen(audience: Audience): boolean {
  if (audience.kind === "paste") return readPasted(audience.text).contacts.length > 0;
  return audience.kind === "list" ? audience.listId !== null : audience.from !== null;
}

const EXAMPLE = `phone_number,first_name,city
+12125550101,Ada,New York`;

/** Chooses an audience. `error` is what the API said of it. */
export function AudienceField({
  value,
  onChange,
  error,
}: {
  value: Audience;
  onChange: (value: Audience) => void;
  error?: string | undefined;
}) {
  const pasted = useMemo(() => readPasted(value.text), [value.text]);
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="Where the contacts come from"
        w={{ base: "100%", xs: "fit-content" }}
        value={value.kind}
        onChange={(kind) => onChange({ ...value, kind: kind as Audience["kind"] })}
        data={[
          { value: "list", label: "A list" },
          { value: "paste", label: "Pasted contacts" },
          ...(value.from ? [{ value: "earlier", label: "An earlier campaign" }] : []),
        ]}
      />
      {value.kind === "list" && (
        <ListSelect value={value.listId} onChange={(listId) => onChange({ ...value, listId })} error={error} />
      )}
      {value.kind === "paste" && (
        <PasteField
          value={value.text}
          pasted={pasted}
          onChange={(text) => onChange({ ...value, text })}
          error={error}
        />
      )}
      {value.kind === "earlier" && value.from && (
        <Text size="sm">
          Recipients of the campaign <b>{value.from.campaign_id}</b>
          {value.from.status && ` that are now "${wordOf("recipient", value.from.status).label}"`}.
          {error && (
            <Text span inherit c="red" role="alert">
              {` ${error}`}
            </Text>
          )}
        </Text>
      )}
    </Stack>
  );
}

function ListSelect({
  value,
  onChange,
  error,
}: {
  value: string | null;
  onChange: (id: string | null) => void;
  error: string | undefined;
}) {
  const { organization_id } = useOrganization();
  const lists = usePages("GET /v1/contacts/lists", "lists", { query: { organization_id } });
  return (
    <Select
      label="List of contacts"
      placeholder={lists.isPending ? "Loading" : lists.rows.length === 0 ? "There is no list yet" : "Choose a list"}
      searchable
      data={lists.rows.map(({ list_id, list_name, count }) => ({
        value: list_id,
        label: `${list_name} (${whole(count)})`,
      }))}
      value={value}
      onChange={onChange}
      error={error ?? (lists.error ? lists.error.message : undefined)}
      nothingFoundMessage="No list has that name"
      {...(lists.hasNextPage ? { onDropdownOpen: () => void lists.fetchNextPage() } : {})}
      maw={480}
    />
  );
}

/** Contacts that are pasted, with what is wrong with their rows. */
export function PasteField({
  value,
  pasted,
  onChange,
  error,
}: {
  value: string;
  pasted: Pasted;
  onChange: (text: string) => void;
  error: string | undefined;
}) {
  const { contacts, fields, table, problem } = pasted;
  const columns = fields.filter((field) => field !== null);
  return (
    <Stack gap="xs">
      <Textarea
        label="Contacts"
        description="Phone numbers, one a line; names and numbers; or a table from a spreadsheet, with the names of its columns in the first line."
        placeholder={EXAMPLE}
        autosize
        minRows={6}
        maxRows={14}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error ?? problem}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      />
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {contacts.length === 0
            ? "Nobody yet"
            : `${whole(contacts.length)} ${contacts.length === 1 ? "contact" : "contacts"}${
                columns.length > 1 ? ` with ${columns.filter((column) => column !== "phone_number").join(", ")}` : ""
              }`}
        </Text>
        <FileButton accept=".csv,.txt,.tsv,text/csv,text/plain" onChange={(file) => void file?.text().then(onChange)}>
          {(props) => (
            <Button variant="default" size="xs" {...props}>
              From a file
            </Button>
          )}
        </FileButton>
      </Group>
      {table.rows.length > 0 && problem === undefined && (
        <ContactPreview table={table} fields={fields} note="Who may be reached is checked before the launch." />
      )}
      {contacts.length > 100_000 && (
        <Alert color="yellow">A campaign takes 100,000 contacts at once. Import the file as a list instead.</Alert>
      )}
    </Stack>
  );
}
