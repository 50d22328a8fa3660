import { Group, Paper, Select, Stack, Text, Title } from "@mantine/core";
import { FIELD_NAMES, fieldLabel, fieldName } from "#parts/contact-table/columns.ts";
import { type Delimiter, ENCODINGS, type Encoding, type Format, type Table } from "#parts/contact-table/read-table.ts";
import styles from "./lists.module.css";

const LEFT_OUT = "";
const SAMPLES = 3;

const ENCODING_LABELS: Record<Encoding, string> = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16",
  "utf-16be": "UTF-16, big-endian",
  latin1: "Windows (Western)",
};
const DELIMITER_LABELS: Record<Delimiter, string> = {
  comma: "Comma",
  semicolon: "Semicolon",
  tab: "Tab",
  pipe: "Vertical bar",
};

/** Which column becomes which field of a contact: guessed, and for a person to set right. */
export function ColumnsCard({
  table,
  fields,
  errors,
  onFields,
  onFormat,
}: {
  table: Table;
  fields: readonly (string | null)[];
  errors: Readonly<Record<string, string>>;
  onFields: (fields: (string | null)[]) => void;
  onFormat: (format: Partial<Format>) => void;
}) {
  const set = (at: number, field: string | null) => {
    // A field has one column: who takes it takes it from the other.
    onFields(fields.map((other, i) => (i === at ? field : other === field ? null : other)));
  };
  return (
    <Paper component="section" aria-label="Columns" p={{ base: "md", xs: "xl" }}>
      <Group justify="space-between" align="flex-end" mb="md">
        <div>
          <Title order={2}>Columns</Title>
          <Text size="sm" c="dimmed">
            What each column of the file becomes. Fields can be used in texts, as in {"{{first_name}}"}.
          </Text>
        </div>
        <Group gap="sm">
          <Select
            label="Cells are divided by"
            size="xs"
            w={140}
            allowDeselect={false}
            data={Object.entries(DELIMITER_LABELS).map(([value, label]) => ({ value, label }))}
            value={table.delimiter}
            onChange={(delimiter) => onFormat({ delimiter: delimiter as Delimiter })}
            error={errors.delimiter}
          />
          <Select
            label="Characters"
            size="xs"
            w={160}
            allowDeselect={false}
            data={ENCODINGS.map((value) => ({ value, label: ENCODING_LABELS[value] }))}
            value={table.encoding}
            onChange={(encoding) => onFormat({ encoding: encoding as Encoding })}
            error={errors.encoding}
          />
        </Group>
      </Group>
      {!fields.includes("phone_number") && (
        <Paper className="parley-tone" data-tone="wait" withBorder={false} p="sm" mb="md" role="alert">
          <Text size="sm">
            Say which column is the phone number. Is there none? Then the first row may not name the columns, or the
            cells are divided by something else.
          </Text>
        </Paper>
      )}
      <div>
        {table.header.map((column, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places, and two may be called the same.
          <div key={i} className={styles.column}>
            <Text fw={550} truncate>
              {column || "(no name)"}
            </Text>
            <Stack gap={0} visibleFrom="sm">
              <Text size="xs" c="dimmed" truncate>
                {samplesOf(table, i)}
              </Text>
            </Stack>
            <Select
              aria-label={`${column || "Column without a name"} becomes`}
              searchable
              allowDeselect={false}
              disabled={column === ""}
              data={optionsOf(column, fields[i] ?? null)}
              value={fields[i] ?? LEFT_OUT}
              onChange={(value) => set(i, value || null)}
              error={errors[`mapping.${column}`]}
              c={fields[i] === null ? "dimmed" : undefined}
            />
          </div>
        ))}
      </div>
    </Paper>
  );
}

const samplesOf = ({ rows }: Table, at: number): string =>
  rows
    .map(({ cells }) => cells[at]?.trim() ?? "")
    .filter((cell) => cell !== "")
    .slice(0, SAMPLES)
    .join(", ") || "Empty in the first rows";

/** The fields that everybody has, the column's own name as a field of its own, and none. */
function optionsOf(column: string, field: string | null) {
  const own = [fieldName(column), ...(field === null ? [] : [field])].filter(
    (name, i, all) => name !== "" && !(name in FIELD_NAMES) && all.indexOf(name) === i,
  );
  return [
    { value: LEFT_OUT, label: "Leave it out" },
    ...own.map((name) => ({ value: name, label: `Keep as “${fieldLabel(name)}”` })),
    ...Object.entries(FIELD_NAMES).map(([value, label]) => ({ value, label })),
  ];
}
