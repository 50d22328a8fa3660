import { Autocomplete } from "@mantine/core";
import { useAnswer } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { formatPhone } from "./phone-number.tsx";

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
      description={description}
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
