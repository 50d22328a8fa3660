import { Button, Group, Pill, Stack, Title } from "@mantine/core";
import { useMemo } from "react";
import { NumberSearch } from "#parts/form/number-search.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { type Column, DataTable, type Rows } from "#parts/show/data-table.tsx";
import { whole } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { reasonOf, wordOf } from "#parts/show/words.ts";

export type RecipientFilters = { status?: string; reason?: string; phone_number?: string };
export type RecipientRow = {
  /** Null for a lead that was left out. */
  unique_id: string | null;
  phone_number: string | null;
  status: string;
  reason: string | null;
  outcome: string | null;
  [field: string]: unknown;
};

const NAMES = ["status", "reason", "phone_number"] as const;
const NONE: readonly Column<RecipientRow>[] = [];

/** Which recipients are shown, by the URL. */
export const useRecipientFilters = () => useSearchFilters(NAMES);

/** Who is in a campaign and what has become of each: filters by state, reason and number, and a list of any length. */
export function Recipients({
  list,
  of,
  counts,
  reasons = [],
  more = NONE,
  to,
}: {
  of: "recipient" | "callee";
  list: Rows<RecipientRow>;
  /** Recipients by state, as the server counts them. */
  counts: Readonly<Record<string, number>>;
  /** Why recipients are in their states; of leads that were left out, which are no recipients, also how many there are. */
  reasons: readonly { status: string; recipients: number }[] | undefined;
  more?: readonly Column<RecipientRow>[];
  to: (row: RecipientRow) => string;
}) {
  const [filters, setFilters] = useRecipientFilters();
  const columns = useMemo(() => [...columnsOf(of), ...more], [of, more]);
  const isFiltered = NAMES.some((name) => filters[name] !== undefined);
  // Who is being texted at this moment is stored as waiting, and found among those.
  const { sending = 0, scheduled = 0, ...rest } = counts;
  const invalid = reasons
    .filter(({ status }) => status === "invalid")
    .reduce((sum, { recipients }) => sum + recipients, 0);
  const states = Object.entries({ scheduled: scheduled + sending, ...rest, invalid }).filter(
    ([state, count]) => count > 0 || state === filters.status,
  );
  return (
    <Stack component="section" aria-label="Recipients" gap="sm" mt="xl">
      <Group justify="space-between" align="flex-end">
        <Title order={2}>Recipients</Title>
        <NumberSearch value={filters.phone_number} onChange={(phone_number) => setFilters({ phone_number })} />
      </Group>
      <Group gap="xs" role="group" aria-label="State">
        <Button
          size="compact-sm"
          variant={filters.status === undefined ? "light" : "default"}
          aria-pressed={filters.status === undefined}
          onClick={() => setFilters({ status: null, reason: null })}
        >
          All
        </Button>
        {states.map(([state, count]) => (
          <Button
            key={state}
            size="compact-sm"
            variant={filters.status === state ? "light" : "default"}
            aria-pressed={filters.status === state}
            onClick={() => setFilters({ status: state, reason: null })}
          >
            {wordOf(of, state).label} {whole(count)}
          </Button>
        ))}
        {filters.reason !== undefined && (
          <Pill
            withRemoveButton
            size="md"
            onRemove={() => setFilters({ reason: null })}
            removeButtonProps={{ "aria-label": "All reasons", "aria-hidden": false, tabIndex: 0 }}
          >
            {reasonOf(filters.reason)}
          </Pill>
        )}
      </Group>
      <DataTable
        label="Recipients"
        list={{ ...list, total: totalOf(filters, { ...counts, invalid }) }}
        columns={filters.status === "invalid" ? LEFT_OUT : columns}
        rowKey={(row) => row.unique_id ?? `${row.index} ${row.reason} ${row.phone_number}`}
        {...(filters.status === "invalid" ? {} : { to })}
        empty={
          <EmptyState
            title={isFiltered ? "No matching recipients" : "Nobody is in this campaign"}
            action={
              isFiltered && (
                <Button
                  variant="default"
                  onClick={() => setFilters({ status: null, reason: null, phone_number: null })}
                >
                  Show all
                </Button>
              )
            }
          />
        }
      />
    </Stack>
  );
}

/** How many the list has, as far as counts by state say so: not of a reason, nor of a number. */
function totalOf({ status, reason, phone_number }: RecipientFilters, counts: Readonly<Record<string, number>>) {
  if (reason !== undefined || phone_number !== undefined) return undefined;
  const { sending = 0, scheduled = 0, invalid = 0, ...rest } = counts;
  if (status === "scheduled") return scheduled + sending;
  if (status !== undefined) return counts[status];
  return Object.values(rest).reduce((sum, count) => sum + count, scheduled + sending);
}

const columnsOf = (of: "recipient" | "callee"): readonly Column<RecipientRow>[] => [
  {
    key: "who",
    title: "Recipient",
    width: "1.4fr",
    render: (row) => nameOf(row) ?? numberOf(row),
  },
  { key: "phone", title: "Number", width: "9rem", render: numberOf },
  { key: "state", title: "State", width: "8rem", render: (row) => <StatusBadge of={of} state={row.status} /> },
  { key: "reason", title: "Reason", width: "2fr", render: (row) => (row.reason ? reasonOf(row.reason) : "–") },
];

/** Whom the campaign did not take of its request. */
const LEFT_OUT: readonly Column<RecipientRow>[] = [
  { key: "given", title: "Given as", width: "12rem", render: (row) => row.phone_number ?? "No number" },
  {
    key: "place",
    title: "Place in the request",
    width: "10rem",
    align: "right",
    render: (row) => whole(Number(row.index) + 1),
  },
  { key: "state", title: "State", width: "8rem", render: (row) => <StatusBadge of="recipient" state={row.status} /> },
  { key: "reason", title: "Reason", width: "2fr", render: (row) => (row.reason ? reasonOf(row.reason) : "–") },
];

function numberOf({ phone_number }: RecipientRow) {
  return phone_number === null ? "–" : <PhoneNumber number={phone_number} />;
}

function nameOf({ first_name, last_name }: RecipientRow): string | undefined {
  return [first_name, last_name].filter((name) => typeof name === "string" && name !== "").join(" ") || undefined;
}
