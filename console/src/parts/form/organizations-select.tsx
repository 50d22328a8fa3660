import { MultiSelect, type MultiSelectProps } from "@mantine/core";
import { useAnswer } from "#api/query.ts";
import { useSession } from "#api/session.ts";

/**
 * Chooses organizations by name. `fixed` is one that cannot be put in or taken out. One that is archived is none of the session's: it is looked up where
 * it is chosen already, and can be taken out alone.
 */
export function OrganizationsSelect({ fixed, ...field }: Omit<MultiSelectProps, "data"> & { fixed?: string }) {
  const { organizations } = useSession();
  const known = new Set(organizations.map(({ unique_id }) => unique_id));
  const isArchivedIn = (field.value ?? []).some((id) => !known.has(id));
  const all = useAnswer(
    "GET /v1/organizations",
    isArchivedIn ? { query: { include_archived: true, limit: 500 } } : undefined,
  );
  const archived = (all.data?.organizations ?? []).filter(
    ({ unique_id }) => !known.has(unique_id) && field.value?.includes(unique_id),
  );
  const data = [
    ...organizations.map(({ unique_id, organization_name }) => ({ unique_id, label: organization_name })),
    ...archived.map(({ unique_id, organization_name }) => ({ unique_id, label: `${organization_name} (archived)` })),
  ].map(({ unique_id, label }) => ({ value: unique_id, label, disabled: unique_id === fixed }));
  return <MultiSelect {...field} data={data} />;
}
