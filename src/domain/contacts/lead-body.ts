import { refuseOtherTenant } from "#domain/accounts/tenant.ts";
import { type FieldProblem, failure, refuseInvalid } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { parseJson } from "#domain/values/json.ts";
import { isObject, type ReadLeads, readLeads } from "./lead.ts";

export type LeadBody<Body> = Pick<ReadLeads, "leads" | "unusable"> & { body: Body };

/**
 * Reads a request's bytes that bring leads in one of the body's fields, `most` of them at most: 413 beyond that, and a 400 that names
 * every wrong field, of the leads too. `problemsOf` judges all but the leads themselves, of which there may be 100,000; `renamed` puts the
 * body's fields under the names that we know them by.
 */
export function readLeadBody<Body>(
  bytes: Uint8Array,
  wanted: {
    field: string;
    most: number;
    tenantId: Uuid;
    renamed: (value: unknown) => { value: unknown; problems: readonly FieldProblem[] };
    problemsOf: (value: unknown) => readonly FieldProblem[];
  },
): LeadBody<Body> {
  const { field, most } = wanted;
  const { value, problems: doubled } = wanted.renamed(parseJson(bytes));
  const given = isObject(value) ? value[field] : undefined;
  const items = Array.isArray(given) ? given : [];
  if (items.length > most) {
    throw failure("payload_too_large", `${field} has ${items.length} leads; ${most} is the most for one call`);
  }
  const { leads, unusable, problems } = readLeads(items, field);
  refuseInvalid([...doubled, ...wanted.problemsOf(value), ...problems]);
  refuseOtherTenant(wanted.tenantId, value);
  return { body: value as Body, leads, unusable };
}

/** What is wrong with a body that names nobody: neither leads, nor a list, nor another campaign's contacts. */
export function missingLeads(value: unknown, field: string): FieldProblem[] {
  const { list_id, from_campaign, [field]: leads } = isObject(value) ? value : {};
  const isNamed = [leads, list_id, from_campaign].some((field) => field !== undefined);
  return isNamed ? [] : [{ field, message: "is required, unless list_id or from_campaign is given" }];
}
