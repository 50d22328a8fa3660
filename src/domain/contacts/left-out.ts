import { invalidField } from "#domain/values/errors.ts";
import { isObject, type Lead, type ReadLeads } from "./lead.ts";

/** A contact of a request that a list or a campaign does not take, and why. */
export type LeftOut = {
  /** Its place in the request. */
  index: number;
  /** Its number: in E.164 if it is one, so that an erasure finds it, else as it was given; null without one. */
  value: string | null;
  reason: "invalid_number" | "own_number" | "duplicate";
  /** Worded to follow the contact's place. */
  error: string;
  /** The place of the contact that is taken instead. */
  duplicate_of: number | null;
};

/** No number is longer (phones/phone.ts); of what is, this much is enough to find it in a file. */
const MAX_VALUE_LENGTH = 64;

/**
 * Which of a request's contacts a list or a campaign takes: of several with one number the first, and none with a number of the campaign's own,
 * which would answer itself for ever. The others in the order of the request.
 */
export function sortOut(
  { leads, unusable }: Pick<ReadLeads, "leads" | "unusable">,
  { items, field, own }: { items: readonly unknown[]; field: string; own: readonly string[] },
): { taken: Lead[]; leftOut: LeftOut[] } {
  const leftOut: LeftOut[] = unusable.map(({ index, error }) => ({
    index,
    value: given(items[index]),
    reason: "invalid_number",
    error,
    duplicate_of: null,
  }));
  const first = new Map<string, Lead>();
  for (const lead of leads) {
    const { index, phone: value } = lead;
    const known = first.get(value);
    if (own.includes(value)) {
      const error = "is a number of the campaign's own";
      leftOut.push({ index, value, reason: "own_number", error, duplicate_of: null });
    } else if (known) {
      const error = `has the number of ${field}[${known.index}]`;
      leftOut.push({ index, value, reason: "duplicate", error, duplicate_of: known.index });
    } else first.set(value, lead);
  }
  leftOut.sort((a, b) => a.index - b.index);
  return { taken: [...first.values()], leftOut };
}

function given(item: unknown): string | null {
  const phone = isObject(item) ? item.phone_number : undefined;
  return typeof phone === "string" && phone !== "" ? phone.slice(0, MAX_VALUE_LENGTH) : null;
}

/** 400 for a new campaign that nobody is in; it names what was to bring contacts. */
export function refuseNobody(
  contacts: number,
  { field, leftOut, listed }: { field: string; leftOut: readonly LeftOut[]; listed: boolean },
): void {
  if (contacts > 0) return;
  const [first] = leftOut;
  if (first) throw invalidField(field, `has nobody who can be contacted: the first ${first.error}`);
  throw invalidField(listed ? "list_id" : "from_campaign", "names nobody who can be contacted");
}
