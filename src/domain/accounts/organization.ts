import { conflict, type FieldProblem, refuseInvalid } from "#domain/values/errors.ts";
import { foldText } from "#domain/values/fold.ts";
import type { Uuid } from "#domain/values/id.ts";

/** A record of one organization of the tenant, or a user, who may work for several organizations. */
type Owned = { organization_id: Uuid; organization_ids?: readonly Uuid[] };

/**
 * 400 that names every field whose thing is another organization's than the request's. The caller owns both, so there is
 * nothing to hide; a mix of them is a mistake, and would show one organization's contacts to the other's people.
 */
export function refuseForeign(organizationId: Uuid, named: Readonly<Record<string, Owned>>): void {
  const problems: FieldProblem[] = Object.entries(named)
    .filter(([, owned]) => !(owned.organization_ids ?? [owned.organization_id]).includes(organizationId))
    .map(([field]) => ({ field, message: "belongs to another organization than organization_id" }));
  refuseInvalid(problems);
}

/** 409 for what would go out for an archived organization, or lead to it. */
export function refuseArchived({ archived_at }: { archived_at: Date | null }): void {
  if (archived_at !== null) throw conflict("The organization is archived: restore it first", "organization_id");
}

/** Legal suffixes of company names, which are not spoken. */
const LEGAL_FORM = / (?:inc|incorporated|llc|llp|ltd|limited|corp|corporation|co|company|gmbh|pllc|pc)$/;

/** Whether a spoken text names the organization: "Acme's assistant" names Acme, Inc. */
export function isNamedIn(organization: string, text: string): boolean {
  const name = foldText(organization).replace(LEGAL_FORM, "");
  // A name in another script is empty after folding and cannot be compared.
  if (name === "") return text.includes(organization);
  const words = ` ${foldText(text)} `;
  return words.includes(` ${name} `) || words.includes(` ${name}s `);
}
