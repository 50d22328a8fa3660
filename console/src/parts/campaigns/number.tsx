import { Anchor, Autocomplete } from "@mantine/core";
import { Link } from "react-router";
import { useAnswer } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { formatPhone } from "#parts/show/phone-number.tsx";

/** One of the organization's own numbers, chosen or typed. */
export function NumberField({
  label,
  description,
  value,
  onChange,
  error,
}: {
  label: string;
  description?: string;
  value: string;
  onChange: (number: string) => void;
  error?: string | undefined;
}) {
  const numbers = useOwnNumbers();
  return (
    <Autocomplete
      label={label}
      description={<NumberHint text={description} />}
      required
      placeholder="+12125550100"
      data={numbers}
      renderOption={({ option }) => formatPhone(option.value)}
      value={value}
      onChange={onChange}
      error={error}
      inputMode="tel"
    />
  );
}

/** A field's description; to whom has no number yet it says where one is got. */
export function NumberHint({ text }: { text?: string | undefined }) {
  const { organization_id } = useOrganization();
  const owned = useAnswer("GET /v1/voice/phone-numbers", { query: { organization_id, limit: 100 } }).data;
  if (owned?.phone_numbers.length !== 0) return text;
  return (
    <>
      {text} You have no number yet:{" "}
      <Anchor component={Link} to="/numbers/new" inherit underline="always">
        get one
      </Anchor>
      .
    </>
  );
}

/** Those that it owns, and those that its campaigns have used, E.164. */
export function useOwnNumbers(): string[] {
  const { organization_id } = useOrganization();
  const query = { organization_id, limit: 100 };
  const owned = useAnswer("GET /v1/voice/phone-numbers", { query }).data?.phone_numbers ?? [];
  const sms = useAnswer("GET /v1/campaigns", { query }).data?.campaigns ?? [];
  const voice = useAnswer("GET /v1/voice/campaigns", { query }).data?.campaigns ?? [];
  return [
    ...new Set([
      ...owned.map(({ phone_number }) => phone_number),
      ...sms.map(({ svc_sms_number }) => svc_sms_number),
      ...voice.flatMap(({ agent_outbound_numbers }) => agent_outbound_numbers),
    ]),
  ];
}
