import { Group, Select, TextInput } from "@mantine/core";
import { useMemo } from "react";
import type { Args } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { SearchField } from "#parts/form/search-field.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";

const NAMES = ["value", "field", "channel", "campaign_id", "agent_id", "from", "to"] as const;
type Query = Args<"GET /v1/extractions">["query"];

const CHANNELS = [
  { value: "sms", label: "Conversations by text" },
  { value: "voice", label: "Calls" },
];
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What is asked for, by the URL; days are the viewer's own. With whether anything is filtered, and what shows all again. */
export function useExtractionQuery(): { query: Query; isFiltered: boolean; showAll: () => void } {
  const { organization_id } = useOrganization();
  const [filters, setFilters] = useSearchFilters(NAMES);
  const query = useMemo(() => {
    const { from, to, ...others } = filters;
    const time = { begin: midnight(from, 0), end: midnight(to, 1) };
    const set = Object.entries({ ...others, ...time }).filter(([, value]) => value !== undefined);
    return { organization_id, ...(Object.fromEntries(set) as Omit<Query, "organization_id">) };
  }, [filters, organization_id]);
  const showAll = () => setFilters(Object.fromEntries(NAMES.map((name) => [name, null])));
  return { query, isFiltered: Object.keys(filters).length > 0, showAll };
}

function midnight(day: string | undefined, daysLater: number): string | undefined {
  if (day === undefined || !DAY.test(day)) return undefined;
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  const at = new Date(year, month - 1, date + daysLater);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

export function ExtractionFilters() {
  const { organization_id } = useOrganization();
  const [filters, setFilters] = useSearchFilters(NAMES);
  const query = { organization_id, limit: 100 };
  const texts = useAnswer("GET /v1/campaigns", { query }).data?.campaigns ?? [];
  const calls = useAnswer("GET /v1/voice/campaigns", { query }).data?.campaigns ?? [];
  const agents = useAnswer("GET /v1/agents", { query }).data?.agents ?? [];
  const campaigns = [
    ...texts.map(({ campaign_id, campaign_name }) => ({ value: campaign_id, label: campaign_name ?? campaign_id })),
    ...calls.map(({ campaign_id, campaign_name }) => ({ value: campaign_id, label: campaign_name ?? campaign_id })),
  ];
  const choice = (name: "channel" | "campaign_id" | "agent_id", label: string, all: string, options: Option[]) => {
    const value = filters[name];
    // One that the URL names is shown although it is none of the newest.
    const isKnown = value === undefined || options.some((option) => option.value === value);
    return (
      <Select
        aria-label={label}
        placeholder={all}
        clearable
        searchable={name !== "channel"}
        w={{ base: "100%", xs: 150 }}
        data={isKnown ? options : [{ value, label: value }, ...options]}
        value={value ?? null}
        onChange={(next) => setFilters({ [name]: next })}
      />
    );
  };
  const day = (name: "from" | "to", label: string) => (
    <TextInput
      type="date"
      aria-label={label}
      w={{ base: "50%", xs: 140 }}
      value={filters[name] ?? ""}
      onChange={(event) => setFilters({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      <SearchField
        label="Find a value"
        placeholder="Part of a value"
        value={filters.value}
        onChange={(value) => setFilters({ value })}
      />
      <SearchField
        label="Field"
        placeholder="Field, as named"
        value={filters.field}
        onChange={(field) => setFilters({ field })}
        isSecond
      />
      {choice("channel", "Channel", "Texts and calls", CHANNELS)}
      {choice("campaign_id", "Campaign", "Every campaign", campaigns)}
      {choice(
        "agent_id",
        "Agent",
        "Every agent",
        agents.map(({ agent_id, agent_name }) => ({ value: agent_id, label: agent_name })),
      )}
      <Group gap="xs" wrap="nowrap" w={{ base: "100%", xs: "auto" }}>
        {day("from", "First day")}
        {day("to", "Last day")}
      </Group>
    </Group>
  );
}

type Option = { value: string; label: string };
