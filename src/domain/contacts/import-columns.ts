import { invalidField, refuseInvalid } from "#domain/values/errors.ts";
import { parseJson } from "#domain/values/json.ts";
import { isObject } from "./lead.ts";

/** A column of the file, by its header, and the contact's field that it fills; null: it is passed over. */
export type ImportColumn = { column: string; field: string | null };

/** A header of more columns is not one: the file is read with the wrong delimiter, or is no table. */
const MAX_COLUMNS = 1_000;
/** As of a contact anywhere. */
const MAX_FIELDS = 200;
const MAX_FIELD_LENGTH = 100;
const MAX_NAME_LENGTH = 200;

/** What people call the number's column, in the form of `fieldName`. */
const PHONE_NAMES = new Set(
  "phone_number phone mobile mobile_phone mobile_number cell cell_phone telephone phone_no number".split(" "),
);

/**
 * What each column of a file is, from its header and the caller's `mapping` (JSON text: column to field). Without a mapping
 * a column fills the field of its own name, in the contract's spelling ("First Name" is `first_name`), and the first that
 * is called like a phone is the phone. 400 when the header or the mapping cannot be right.
 */
export function importColumns(header: readonly string[], mapping: string | undefined): ImportColumn[] {
  const names = header.map((cell) => cell.trim());
  checkHeader(names);
  const columns = mapping === undefined ? ownNames(names) : mapped(names, readMapping(mapping));
  checkFields(columns);
  return columns;
}

function checkHeader(names: readonly string[]): void {
  if (names.every((name) => name === ""))
    throw invalidField("file", "has no header: its first row must name the columns");
  if (names.length > MAX_COLUMNS) throw invalidField("file", `has ${names.length} columns; ${MAX_COLUMNS} is the most`);
  const long = names.find((name) => name.length > MAX_NAME_LENGTH);
  if (long !== undefined) {
    throw invalidField(
      "file",
      `has a column whose name is over ${MAX_NAME_LENGTH} characters: its first row must name the columns`,
    );
  }
  if (names.some((name) => name.includes("\0"))) throw invalidField("file", "has a NUL in its header");
  const twice = names.find((name, i) => name !== "" && names.indexOf(name) !== i);
  if (twice !== undefined) throw invalidField("file", `has two columns called "${twice}"`);
}

function readMapping(text: string): Record<string, string> {
  let value: unknown;
  try {
    value = parseJson(new TextEncoder().encode(text));
  } catch {
    throw invalidField("mapping", 'must be JSON, such as {"Mobile": "phone_number"}');
  }
  if (!isObject(value)) throw invalidField("mapping", "must be an object of column and field");
  const wrong = Object.entries(value).find(([, field]) => typeof field !== "string");
  if (wrong) throw invalidField(`mapping.${wrong[0]}`, "must be the name of a field");
  return value as Record<string, string>;
}

function mapped(names: readonly string[], mapping: Record<string, string>): ImportColumn[] {
  const given = new Map(Object.entries(mapping).map(([column, field]) => [column.trim(), field.trim()]));
  const known = names.filter((name) => name !== "").slice(0, 20);
  const problems = [...given.keys()]
    .filter((column) => !names.includes(column))
    .map((column) => ({ field: `mapping.${column}`, message: `is no column of the file; it has ${known.join(", ")}` }));
  refuseInvalid(problems);
  return names.map((column) => ({ column, field: given.get(column) ?? null }));
}

/** "First Name", "first-name" and "FIRST_NAME" are all `first_name`. */
const fieldName = (column: string): string => column.toLowerCase().replace(/[\s\-./]+/g, "_");

function ownNames(names: readonly string[]): ImportColumn[] {
  const fields = names.map(fieldName);
  const phone = fields.includes("phone_number")
    ? fields.indexOf("phone_number")
    : fields.findIndex((field) => PHONE_NAMES.has(field));
  const seen = new Set<string>();
  return names.map((column, i) => {
    const field = i === phone ? "phone_number" : fields[i]!;
    // Two spellings of one name: the first is taken.
    const isFree = field !== "" && !seen.has(field);
    seen.add(field);
    return { column, field: isFree ? field : null };
  });
}

function checkFields(columns: readonly ImportColumn[]): void {
  const fields = columns.flatMap(({ field }) => (field === null ? [] : [field]));
  if (!fields.includes("phone_number")) {
    throw invalidField("mapping", "must say which column is the phone_number");
  }
  const twice = fields.find((field, i) => fields.indexOf(field) !== i);
  if (twice !== undefined) throw invalidField("mapping", `gives "${twice}" to two columns`);
  if (fields.length > MAX_FIELDS)
    throw invalidField("mapping", `fills ${fields.length} fields; ${MAX_FIELDS} is the most`);
  refuseInvalid(
    fields
      .filter((field) => field === "" || field.length > MAX_FIELD_LENGTH)
      .map((field) => ({
        field: `mapping.${columns.find((column) => column.field === field)!.column}`,
        message: `must have a name of 1 to ${MAX_FIELD_LENGTH} characters`,
      })),
  );
}
