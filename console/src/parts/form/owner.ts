import { useAnswer } from "#api/query.ts";
import { useOrganization, useSession } from "#api/session.ts";

/**
 * In whose name something is made: the user's own, or, in another organization of the tenant, that of somebody there.
 * Undefined until it is known.
 */
export function useOwnerId(): string | undefined {
  const { organization_id } = useOrganization();
  const { user } = useSession();
  const isOwn = user.organization_id === organization_id;
  const args = { params: { org_id: organization_id }, query: { limit: 1 } };
  const { data } = useAnswer("GET /v1/organizations/:org_id/users", isOwn ? undefined : args);
  return isOwn ? user.unique_id : data?.users[0]?.unique_id;
}
