import { type FieldProblem, invalid } from "./errors.ts";
import type { Uuid } from "./id.ts";

/** What belongs to an organization of the tenant. */
type Owned = { organization_id: Uuid };

/**
 * 400 that names every field whose thing is another organization's than the request's. The caller owns both, so there is
 * nothing to hide; a mix of them is a mistake, and would show one organization's contacts to the other's people.
 */
export function refuseForeign(organizationId: Uuid, named: Readonly<Record<string, Owned>>): void {
  const problems: FieldProblem[] = Object.entries(named)
    .filter(([, it]) => it.organization_id !== organizationId)
    .map(([field]) => ({ field, message: "belongs to another organization than organization_id" }));
  const [first, ...rest] = problems;
  if (first) throw invalid(first, ...rest);
}
