import { Select } from "@mantine/core";
import { useOrganization } from "#api/session.ts";

/** Whether a number is listed for this organization, or for every one of the tenant. */
export function ScopeSelect({ value, onChange }: { value: Scope; onChange: (value: Scope) => void }) {
  const { organization_name } = useOrganization();
  return (
    <Select
      label="Holds for"
      allowDeselect={false}
      data={[
        { value: "all", label: "All organizations" },
        { value: "this", label: `${organization_name} alone` },
      ]}
      value={value}
      onChange={(next) => onChange(next as Scope)}
    />
  );
}

export type Scope = "all" | "this";
