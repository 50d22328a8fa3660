import { type FieldProblem, refuseInvalid } from "#domain/values/errors.ts";
import { foldText } from "#domain/values/fold.ts";
import type { Uuid } from "#domain/values/id.ts";

/** What belongs to an organization of the tenant, or a user, who may work for several. */
type Owned = { organization_id: Uuid; organization_ids?: readonly Uuid[] };

/**
 * 400 that names every field whose thing is another organization's than the request's. The caller owns both, so there is
 * nothing to hide; a mix of them is a mistake, and would show one organization's contacts to the other's people.
 */
export function refuseForeign(organizationId: Uuid, named: Readonly<Record<string, Owned>>): void {
  const problems: FieldProblem[] = Object.entries(named)
    .filter(([, it]) => !(it.organization_ids ?? [it.organization_id]).includes(organizationId))
    .map(([field]) => ({ field, message: "belongs to another organization than organization_id" }));
  refuseInvalid(problems);
}

/** What a company's name ends in on paper, and nobody says. */
const LEGAL_FORM = / (?:inc|incorporated|llc|llp|ltd|limited|corp|corporation|co|company|gmbh|pllc|pc)$/;

/** Whether somebody who hears the text hears for whom it is said: "Acme's assistant" names Acme, Inc. */
export function isNamedIn(organization: string, text: string): boolean {
  const name = foldText(organization).replace(LEGAL_FORM, "");
  // Of another script nothing is left to compare.
  if (name === "") return text.includes(organization);
  const words = ` ${foldText(text)} `;
  return words.includes(` ${name} `) || words.includes(` ${name}s `);
}
