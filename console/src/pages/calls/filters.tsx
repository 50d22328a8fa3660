import { Group, Pill, Select, Text, TextInput } from "@mantine/core";
import type { Args } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { NumberSearch, WHOLE_DIGITS } from "#parts/form/number-search.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { wordOf } from "#parts/show/words.ts";

const NAMES = ["campaign_id", "status", "outcome", "sentiment", "from", "to", "phone_number", "own_number"] as const;
export type Filters = Partial<Record<(typeof NAMES)[number], string>>;
type Query = Args<"GET /v1/voice/calls">["query"];

const STATUSES = [
  { value: "registered", label: "Ringing" },
  { value: "ongoing", label: "In progress" },
  { value: "ended", label: "Ended" },
  { value: "not_connected", label: "Not connected" },
  { value: "error", label: "Error" },
];
const OUTCOMES = [
  { value: "connected", label: wordOf("result", "connected").label },
  { value: "voicemail", label: wordOf("result", "voicemail").label },
  { value: "failed", label: wordOf("callee", "failed").label },
];
const SENTIMENTS = ["Positive", "Neutral", "Negative"];
/** The API's own least. */
const SOME_DIGITS = 2;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Which calls are shown, by the URL. Days are the viewer's own. */
export const useCallFilters = () => useSearchFilters(NAMES);

/** The filters as the API has them: a day is from its midnight to the next, here. */
export function queryOf({ campaign_id, status, outcome, sentiment, from, to, phone_number, own_number }: Filters) {
  const begin = from && DAY.test(from) ? midnight(from, 0) : undefined;
  const end = to && DAY.test(to) ? midnight(to, 1) : undefined;
  const digits = phone_number?.replace(/\D/g, "") ?? "";
  const contact = digits.length < WHOLE_DIGITS ? { phone_digits: digits || undefined } : { phone_number };
  const query = { campaign_id, status, outcome, sentiment, ...contact, own_number, begin, end };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Omit<
    Query,
    "organization_id"
  >;
}

function midnight(day: string, daysLater: number): string | undefined {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  const at = new Date(year, month - 1, date + daysLater);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

export function CallFilters() {
  const [filters, setFilters] = useCallFilters();
  const choice = (
    name: "status" | "outcome" | "sentiment",
    label: string,
    all: string,
    data: typeof STATUSES | string[],
  ) => (
    <Select
      aria-label={label}
      placeholder={all}
      clearable
      w={{ base: "calc(50% - 0.25rem)", xs: 150 }}
      data={data}
      value={filters[name] ?? null}
      onChange={(value) => setFilters({ [name]: value })}
    />
  );
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      <NumberSearch
        digits={SOME_DIGITS}
        value={filters.phone_number}
        onChange={(phone_number) => setFilters({ phone_number })}
      />
      <CampaignChoice value={filters.campaign_id} onChange={(campaign_id) => setFilters({ campaign_id })} />
      {choice("outcome", "Outcome", "Every outcome", OUTCOMES)}
      {choice("status", "State", "Every state", STATUSES)}
      {choice("sentiment", "Sentiment", "Every sentiment", SENTIMENTS)}
      <Group gap="xs" wrap="nowrap" w={{ base: "100%", xs: "auto" }}>
        <DayField label="First day" word="From" value={filters.from} onChange={(from) => setFilters({ from })} />
        <DayField label="Last day" word="To" value={filters.to} onChange={(to) => setFilters({ to })} />
      </Group>
      {filters.own_number !== undefined && (
        <Pill
          withRemoveButton
          size="md"
          onRemove={() => setFilters({ own_number: null })}
          removeButtonProps={{ "aria-label": "All our numbers", "aria-hidden": false, tabIndex: 0 }}
        >
          From or to our {formatPhone(filters.own_number)}
        </Pill>
      )}
    </Group>
  );
}

function DayField({
  label,
  word,
  value,
  onChange,
}: {
  label: string;
  word: string;
  value: string | undefined;
  onChange: (day: string) => void;
}) {
  return (
    <TextInput
      type="date"
      aria-label={label}
      leftSection={<Text size="xs">{word}</Text>}
      leftSectionWidth={44}
      w={{ base: "50%", xs: 172 }}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The newest campaigns to choose from; one that the URL names is shown by its id where it is none of those. */
function CampaignChoice({ value, onChange }: { value: string | undefined; onChange: (value: string | null) => void }) {
  const { organization_id } = useOrganization();
  const campaigns =
    useAnswer("GET /v1/voice/campaigns", { query: { organization_id, limit: 100 } }).data?.campaigns ?? [];
  const data = campaigns.map((campaign) => ({
    value: campaign.campaign_id,
    label: campaign.campaign_name ?? campaign.campaign_id,
  }));
  const isKnown = value === undefined || data.some((option) => option.value === value);
  return (
    <Select
      aria-label="Campaign"
      placeholder="Every campaign"
      clearable
      searchable
      nothingFoundMessage="No such campaign"
      w={{ base: "100%", xs: 200 }}
      data={isKnown ? data : [{ value, label: value }, ...data]}
      value={value ?? null}
      onChange={onChange}
    />
  );
}
