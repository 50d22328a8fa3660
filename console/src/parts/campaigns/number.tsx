import { Group, Input, MultiSelect, Select, Skeleton } from "@mantine/core";
import { useAnswer } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { GetNumber } from "#parts/numbers/get-number.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";

type Field = { label: string; description?: string; error?: string | undefined };

/** One of the organization's own numbers; who has none gets one here. `areaCode` is where that is looked for first. */
export function NumberField({
  value,
  onChange,
  areaCode,
  ...field
}: Field & { value: string; onChange: (number: string) => void; areaCode?: string }) {
  const numbers = useOwnNumbers();
  const shown = withChosen(numbers, value === "" ? [] : [value]);
  if (shown === undefined || shown.length === 0) {
    return <NoNumber {...field} isLoading={shown === undefined} areaCode={areaCode} onTaken={onChange} />;
  }
  return (
    <Select
      {...field}
      required
      searchable
      placeholder="Choose a number"
      nothingFoundMessage="No number of yours has these digits"
      data={shown.map(choice)}
      value={value === "" ? null : value}
      onChange={(number) => onChange(number ?? "")}
    />
  );
}

/** Several of the organization's own numbers. */
export function NumbersField({
  value,
  onChange,
  ...field
}: Field & { value: string[]; onChange: (numbers: string[]) => void }) {
  const numbers = useOwnNumbers();
  const shown = withChosen(numbers, value);
  if (shown === undefined || shown.length === 0) {
    return <NoNumber {...field} isLoading={shown === undefined} onTaken={(number) => onChange([number])} />;
  }
  return (
    <MultiSelect
      {...field}
      required
      searchable
      placeholder={value.length === 0 ? "Choose numbers" : ""}
      nothingFoundMessage="No number of yours has these digits"
      maxValues={100}
      data={shown.map(choice)}
      value={value}
      onChange={onChange}
    />
  );
}

const choice = (number: string) => ({ value: number, label: formatPhone(number) });

/** What is chosen already is offered too: a copied campaign may have another's number. */
const withChosen = (numbers: string[] | undefined, chosen: string[]): string[] | undefined =>
  chosen.length === 0 ? numbers : [...new Set([...chosen, ...(numbers ?? [])])];

/** In the field's place: that numbers are loading, or could not be, or that there is none and how one is got. */
function NoNumber({
  label,
  description,
  error,
  isLoading,
  areaCode,
  onTaken,
}: Field & { isLoading: boolean; areaCode?: string | undefined; onTaken: (number: string) => void }) {
  const { organization_id } = useOrganization();
  const owned = useAnswer("GET /v1/voice/phone-numbers", { query: { organization_id, limit: 100 } });
  if (owned.error) return <ErrorState error={owned.error} retry={() => void owned.refetch()} />;
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      required
      description={`${description ?? ""} ${isLoading ? "" : "You have no number yet."}`.trim()}
      error={error}
    >
      <Group mt={4} mb={error ? 4 : 0}>
        {isLoading ? <Skeleton h={36} /> : <GetNumber {...(areaCode ? { first: areaCode } : {})} onTaken={onTaken} />}
      </Group>
    </Input.Wrapper>
  );
}

/** Those that it owns, and those that its campaigns have used, E.164; undefined until they are known. */
export function useOwnNumbers(): string[] | undefined {
  const { organization_id } = useOrganization();
  const query = { organization_id, limit: 100 };
  const owned = useAnswer("GET /v1/voice/phone-numbers", { query }).data?.phone_numbers;
  const sms = useAnswer("GET /v1/campaigns", { query }).data?.campaigns;
  const voice = useAnswer("GET /v1/voice/campaigns", { query }).data?.campaigns;
  if (owned === undefined) return undefined;
  return [
    ...new Set([
      ...owned.map(({ phone_number }) => phone_number),
      ...(sms ?? []).map(({ svc_sms_number }) => svc_sms_number),
      ...(voice ?? []).flatMap(({ agent_outbound_numbers }) => agent_outbound_numbers),
    ]),
  ];
}
