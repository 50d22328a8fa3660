import { Button, Group, SegmentedControl, Stack, Title } from "@mantine/core";
import { type ActivityQuery, type Breakdown, useBreakdown } from "#parts/chart/activity.ts";
import { saveCsv } from "#parts/chart/series.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { callLength, percent, whole } from "#parts/show/figures.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";

const KINDS = [
  { value: "campaign", label: "Campaign" },
  { value: "agent", label: "Agent" },
  { value: "number", label: "Our number" },
  { value: "area_code", label: "Area code" },
] as const;

type Row = Breakdown["rows"][number];
type Figure = { title: string; of: (row: Row) => string; isExtra?: true };

const FIGURES: readonly Figure[] = [
  { title: "Texts sent", of: ({ texts }) => whole(texts.sent) },
  { title: "Texts delivered", of: ({ texts }) => percent(texts.delivered, texts.sent), isExtra: true },
  { title: "Reply rate", of: ({ texts }) => percent(texts.contacts_replied, texts.contacts_texted) },
  { title: "Opt-out rate", of: ({ texts }) => percent(texts.contacts_opted_out, texts.contacts_texted) },
  { title: "Calls", of: ({ calls }) => whole(calls.outbound + calls.inbound) },
  { title: "Answer rate", of: ({ calls }) => percent(calls.answered, calls.outbound) },
  { title: "Length", of: ({ calls }) => callLength(calls.talk_ms.avg), isExtra: true },
  {
    title: "Cost",
    of: ({ texts, calls }) => `$${(Number(texts.cost) + Number(calls.cost)).toFixed(2)}`,
    isExtra: true,
  },
];

/** The same figures for each campaign, agent, number or area code. */
export function ByKind({ query }: { query: ActivityQuery }) {
  const [{ by = "campaign" }, setFilters] = useSearchFilters(["by"]);
  const kind = KINDS.find(({ value }) => value === by) ?? KINDS[0];
  const { breakdown, isPending, error, refetch } = useBreakdown(kind.value, query);
  const nameOf = ({ key, name }: Row) =>
    kind.value === "number" ? formatPhone(key) : kind.value === "area_code" ? key || "None" : name || key;
  const columns: Column<Row>[] = [
    { key: "name", title: kind.label, width: "2fr", render: nameOf },
    ...FIGURES.map(({ title, of, isExtra }) => ({
      key: title,
      title,
      align: "right" as const,
      render: of,
      ...(isExtra ? { isExtra } : {}),
    })),
  ];
  const rows = breakdown?.rows ?? [];
  return (
    <Stack component="section" aria-label="Breakdown" gap="sm" miw={0}>
      <Group justify="space-between" gap="xs">
        <Title order={2}>Breakdown</Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Broken down by"
            data={[...KINDS]}
            value={kind.value}
            onChange={(value) => setFilters({ by: value === "campaign" ? null : value })}
          />
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label="Breakdown: CSV"
            disabled={rows.length === 0}
            onClick={() =>
              saveCsv(`by ${kind.label}`, {
                head: [kind.label, ...FIGURES.map(({ title }) => title)],
                rows: rows.map((row) => [nameOf(row), ...FIGURES.map(({ of }) => of(row))]),
              })
            }
          >
            CSV
          </Button>
        </Group>
      </Group>
      <DataTable
        label={`By ${kind.label.toLowerCase()}`}
        list={{ rows, isPending, error, refetch }}
        columns={columns}
        rowKey={({ key }) => key}
        empty={
          <EmptyState
            title="Nothing in this time"
            text="Texts and calls are counted here as they happen."
            action={
              <LinkButton to="/sms-campaigns" variant="default">
                SMS campaigns
              </LinkButton>
            }
          />
        }
      />
    </Stack>
  );
}
