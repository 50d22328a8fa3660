import { Badge, Paper, Stack, Text, Title } from "@mantine/core";
import { useMemo } from "react";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { whole } from "#parts/show/figures.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { fieldLabel } from "./columns.ts";
import { ExcelHint } from "./excel-hint.tsx";
import { isScientific, type PreviewRow, previewRow } from "./preview.ts";
import type { Table } from "./read-table.ts";

const SHOWN = 20;
/** More side by side cannot be read. */
const SHOWN_FIELDS = 5;

type Read = { table: Table; fields: readonly (string | null)[] };

export function PreviewCard(read: Read) {
  return (
    <Paper component="section" aria-label="Preview" p={{ base: "md", xs: "xl" }}>
      <ContactPreview {...read} note="Every row is checked again when the import runs." />
    </Paper>
  );
}

/** The first rows as they will be stored, and what is wrong with those that are not. `note` is said behind their number. */
export function ContactPreview({ table, fields, note }: Read & { note: string }) {
  const rows = useMemo(() => table.rows.map((row) => previewRow(row, fields)), [table, fields]);
  const bad = rows.filter(({ problem }) => problem !== undefined);
  const phoneAt = fields.indexOf("phone_number");
  const rounded = table.rows.filter(({ cells }) => phoneAt >= 0 && isScientific(cells[phoneAt] ?? "")).length;
  const kept = fields.filter((field) => field !== null);
  // Those with a problem are what somebody has to see.
  const shown = [...bad.slice(0, SHOWN / 2), ...rows.filter(({ problem }) => problem === undefined)].slice(0, SHOWN);
  shown.sort((a, b) => a.number - b.number);
  return (
    <Stack gap="md">
      <div>
        <Title order={2}>Preview</Title>
        <Text size="sm" c="dimmed" role="status">
          {table.isWhole ? "" : "The first "}
          {whole(rows.length)} {rows.length === 1 ? "row" : "rows"}
          {bad.length === 0 ? ", and all look right." : `; ${whole(bad.length)} of them would not be taken.`} {note}
        </Text>
      </div>
      {rounded > 0 && <ExcelHint count={rounded} />}
      {phoneAt < 0 ? null : rows.length === 0 ? (
        <Text size="sm">There is no row below the one that names the columns.</Text>
      ) : (
        <DataTable
          label="Preview"
          list={{ rows: shown }}
          columns={columnsOf(kept)}
          rowKey={({ number }) => String(number)}
          height="26rem"
          empty={<EmptyState title="No rows" />}
        />
      )}
    </Stack>
  );
}

/** The number first, what is wrong beside it, and some of the other fields. */
function columnsOf(fields: readonly string[]): Column<PreviewRow>[] {
  const phoneAt = fields.indexOf("phone_number");
  const others = fields.map((field, i) => ({ field, i })).filter(({ i }) => i !== phoneAt);
  return [
    {
      key: "phone_number",
      title: "Phone number",
      width: "9.5rem",
      render: ({ cells, problem }) =>
        problem === undefined ? formatPhone(cells[phoneAt] ?? "") : cells[phoneAt] || "–",
    },
    {
      key: "result",
      title: "Result",
      width: "2fr",
      render: ({ problem, number }) =>
        problem === undefined ? (
          "Will be stored"
        ) : (
          <>
            <Badge className="parley-tone" data-tone="bad" mr={6}>
              Row {number}
            </Badge>
            <span style={{ whiteSpace: "normal" }}>{problem}</span>
          </>
        ),
    },
    ...others.slice(0, SHOWN_FIELDS).map(({ field, i }, at) => ({
      key: field,
      title: fieldLabel(field),
      isExtra: at > 1,
      render: ({ cells }: PreviewRow) => <span title={cells[i]}>{cells[i] || "–"}</span>,
    })),
  ];
}
