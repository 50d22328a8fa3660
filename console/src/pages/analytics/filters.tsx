import { Group, Select, TextInput } from "@mantine/core";
import { useMemo } from "react";
import { useAnswer } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import type { ActivityQuery } from "#parts/chart/activity.ts";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { formatPhone } from "#parts/show/phone-number.tsx";

const NAMES = ["days", "from", "to", "interval", "campaign_id", "agent_id", "own_number", "area_code"] as const;

const SPANS = [
  { value: "1", label: "Today" },
  { value: "7", label: "Last 7 days" },
  { value: "21", label: "Last 21 days" },
  { value: "90", label: "Last 90 days" },
  { value: "365", label: "Last 365 days" },
  { value: "between", label: "From day to day" },
];
const USUAL = "21";
const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** Of more days than this, hours are not shown. */
const HOURLY_DAYS = 31;
/** The API returns no more at once. */
const MOST_DAYS = 400;
const DAY_MS = 86_400_000;

/** What is asked for, by the URL. Days are the viewer's own; which of them is today the service knows, by the simulator's clock. */
export function useAnalyticsQuery(): ActivityQuery {
  const { organization_id } = useOrganization();
  const [filters] = useSearchFilters(NAMES);
  return useMemo(() => {
    const { days = USUAL, from, to, interval, campaign_id, agent_id, own_number, area_code } = filters;
    const time = days === "between" && isDay(from) && isDay(to) ? between(from!, to!) : { days: spanOf(days) };
    const query = {
      // With a campaign, too: one of another organization, left in the URL, has no figures here.
      organization_id,
      ...time,
      interval: (interval === "hour" && time.days <= HOURLY_DAYS) || time.days === 1 ? "hour" : "day",
      campaign_id,
      agent_id,
      own_number,
      area_code: /^\d{3}$/.test(area_code ?? "") ? area_code : undefined,
    };
    return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as ActivityQuery;
  }, [filters, organization_id]);
}

const isDay = (day: string | undefined): boolean => DAY.test(day ?? "") && !Number.isNaN(Date.parse(day!));
const spanOf = (days: string): number => (SPANS.some(({ value }) => value === days) && Number(days)) || Number(USUAL);

/** The last day belongs to it. Days in the wrong order are taken in the right one. */
function between(one: string, other: string): { begin: string; end: string; days: number } {
  const [first, last] = [one, other].sort().map((day) => new Date(`${day}T00:00`)) as [Date, Date];
  const after = new Date(last.getFullYear(), last.getMonth(), last.getDate() + 1);
  const days = Math.min(MOST_DAYS, Math.round((after.getTime() - first.getTime()) / DAY_MS));
  return {
    begin: new Date(Math.max(first.getTime(), after.getTime() - MOST_DAYS * DAY_MS)).toISOString(),
    end: after.toISOString(),
    days,
  };
}

export function AnalyticsFilters() {
  const { organization_id } = useOrganization();
  const [filters, setFilters] = useSearchFilters(NAMES);
  const query = { organization_id, limit: 100 };
  const texts = useAnswer("GET /v1/campaigns", { query }).data?.campaigns ?? [];
  const calls = useAnswer("GET /v1/voice/campaigns", { query }).data?.campaigns ?? [];
  const agents = useAnswer("GET /v1/agents", { query }).data?.agents ?? [];
  const numbers = useAnswer("GET /v1/voice/phone-numbers", { query }).data?.phone_numbers ?? [];
  const { days = USUAL } = filters;
  const campaigns = [
    ...texts.map(({ campaign_id, campaign_name }) => ({ value: campaign_id, label: campaign_name ?? campaign_id })),
    ...calls.map(({ campaign_id, campaign_name }) => ({ value: campaign_id, label: campaign_name ?? campaign_id })),
  ];
  const senders = new Set([
    ...numbers.map(({ phone_number }) => phone_number),
    ...texts.map((campaign) => campaign.svc_sms_number),
  ]);
  const choice = (name: "campaign_id" | "agent_id" | "own_number", label: string, all: string, options: Option[]) => {
    const value = filters[name];
    // One that the URL names is shown although it is none of the newest.
    const data =
      value === undefined || options.some((option) => option.value === value)
        ? options
        : [{ value, label: value }, ...options];
    return (
      <Select
        aria-label={label}
        placeholder={all}
        clearable
        searchable
        w={{ base: "calc(50% - 0.25rem)", xs: 170 }}
        data={data}
        value={value ?? null}
        onChange={(next) => setFilters({ [name]: next })}
      />
    );
  };
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      <Select
        aria-label="Time"
        allowDeselect={false}
        w={{ base: "calc(50% - 0.25rem)", xs: 150 }}
        data={SPANS}
        value={days}
        onChange={(next) => setFilters({ days: next === USUAL ? null : next, from: null, to: null })}
      />
      {days === "between" && (
        <>
          <DayField label="First day" value={filters.from} onChange={(from) => setFilters({ from })} />
          <DayField label="Last day" value={filters.to} onChange={(to) => setFilters({ to })} />
        </>
      )}
      <Select
        aria-label="Interval"
        allowDeselect={false}
        w={{ base: "calc(50% - 0.25rem)", xs: 110 }}
        data={[
          { value: "day", label: "By day" },
          { value: "hour", label: "By hour", disabled: spanOf(days) > HOURLY_DAYS },
        ]}
        value={filters.interval === "hour" || days === "1" ? "hour" : "day"}
        onChange={(next) => setFilters({ interval: next === "hour" ? next : null })}
      />
      {choice("campaign_id", "Campaign", "Every campaign", campaigns)}
      {choice(
        "agent_id",
        "Agent",
        "Every agent",
        agents.map((agent) => ({ value: agent.agent_id, label: agent.agent_name })),
      )}
      {choice(
        "own_number",
        "Our number",
        "Every number",
        [...senders].map((sender) => ({ value: sender, label: formatPhone(sender) })),
      )}
      <TextInput
        aria-label="Area code of the contacts"
        placeholder="Area code"
        inputMode="numeric"
        maxLength={3}
        w={{ base: "calc(50% - 0.25rem)", xs: 100 }}
        value={filters.area_code ?? ""}
        onChange={(event) => setFilters({ area_code: event.currentTarget.value.replaceAll(/\D/g, "") })}
      />
    </Group>
  );
}

type Option = { value: string; label: string };

function DayField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (day: string) => void;
}) {
  return (
    <TextInput
      type="date"
      aria-label={label}
      w={{ base: "calc(50% - 0.25rem)", xs: 140 }}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
