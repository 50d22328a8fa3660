import type { ButtonProps } from "@mantine/core";
import type { Answer } from "#api/operations.ts";
import { chooseOrganization, useSession } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";

/** Leads to the first organization of the demo data; nothing where none is loaded, or the user may not see it. */
export function LookAtDemo({ demo, ...props }: { demo: Answer<"GET /v1/demo">["demo"] | undefined } & ButtonProps) {
  const { organizations } = useSession();
  const first = organizations.find(({ unique_id }) => unique_id === demo?.organization_ids[0]);
  if (demo?.status !== "loaded" || first === undefined) return null;
  return (
    <LinkButton to="/" onClick={() => chooseOrganization(first.unique_id)} {...props}>
      Look at {first.organization_name}
    </LinkButton>
  );
}
