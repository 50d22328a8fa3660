/** A contact's fields of these names that say something, with a space between; undefined when none does. */
export function fieldsOf(contact: object, ...names: string[]): string | undefined {
  const values = names.map((name) => (contact as Record<string, unknown>)[name]);
  return values.filter((part) => typeof part === "string" && part.trim() !== "").join(" ") || undefined;
}

/** A contact's whole name, if it has one. */
export const contactName = (contact: object): string | undefined => fieldsOf(contact, "first_name", "last_name");
