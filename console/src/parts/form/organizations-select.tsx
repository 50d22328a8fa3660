import { MultiSelect, type MultiSelectProps } from "@mantine/core";
import { useSession } from "#api/session.ts";

/** Chooses organizations by name. `fixed` is one that cannot be put in or taken out. */
export function OrganizationsSelect({ fixed, ...field }: Omit<MultiSelectProps, "data"> & { fixed?: string }) {
  const { organizations } = useSession();
  const data = organizations.map(({ unique_id, organization_name }) => ({
    value: unique_id,
    label: organization_name,
    disabled: unique_id === fixed,
  }));
  return <MultiSelect {...field} data={data} />;
}
