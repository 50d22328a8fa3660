import { normalizePhone } from "#domain/phones/phone.ts";
import { meantCell } from "#domain/values/csv-cell.ts";
import type { ImportColumn } from "./import-columns.ts";
import { type LeadFields, readLeads } from "./lead.ts";

/** A row of an import: a lead, nothing at all (a blank line), or why it cannot be taken. */
export type ReadRow =
  | { phone: string; fields: LeadFields }
  | { blank: true }
  /** `phone` is there when the row has a usable one. */
  | { problem: string; phone: string | null };

/**
 * Reads a row by the same rules as a lead of a campaign or list. An empty cell says nothing: the contact keeps what it has. A whole name fills the first
 * and the last name too, where the file has no column for either.
 * Cells without a column must be empty, and none may be missing: a row that has slipped is not guessed at.
 */
export function readRow(cells: readonly string[], columns: readonly ImportColumn[]): ReadRow {
  if (cells.every((cell) => cell.trim() === "")) return { blank: true };
  const filled = cells.findLastIndex((cell) => cell.trim() !== "") + 1;
  if (cells.length < columns.length || filled > columns.length) {
    const count = Math.max(filled, Math.min(cells.length, columns.length));
    return { problem: `has ${count} cells, the header has ${columns.length}`, phone: null };
  }
  const item: Record<string, string> = Object.create(null);
  for (const [i, { field }] of columns.entries()) {
    const value = field === null ? "" : meantCell(cells[i]!.trim());
    if (value !== "") item[field!] = value;
  }
  const whole = item.full_name ?? item.name;
  if (whole !== undefined && !columns.some(({ field }) => field === "first_name" || field === "last_name"))
    Object.assign(item, namesIn(whole));
  const { leads, unusable, problems } = readLeads([item], "");
  const [lead] = leads;
  if (Object.values(item).some((value) => value.includes("\0"))) {
    return { problem: "holds a character that cannot be stored", phone: lead?.phone ?? null };
  }
  if (problems.length > 0) {
    const messages = problems.map(({ field, message }) => `${field.replace(/^\[0\]\.?/, "")} ${message}`);
    return { problem: messages.join("; "), phone: lead?.phone ?? null };
  }
  return lead ? { phone: lead.phone, fields: lead.fields } : { problem: phoneProblem(unusable[0]!.error), phone: null };
}

/** "Anna van Lee" and "van Lee, Anna" are the first name Anna, the last name van Lee: texts greet people by their first name. */
function namesIn(whole: string): { first_name: string; last_name?: string } {
  const [last = "", ...others] = whole.split(",").map((part) => part.trim());
  const [first = "", ...rest] = others.length === 1 && others[0] !== "" ? [others[0]!, last] : whole.split(/\s+/);
  return rest.length === 0 ? { first_name: first } : { first_name: first, last_name: rest.join(" ") };
}

/** Every number that stands in a row, in whatever cell: of one that could not be taken nobody knows which is the contact's. */
export function phonesIn(cells: readonly string[]): string[] {
  const read = cells.map((cell) => normalizePhone(meantCell(cell.trim())));
  return [...new Set(read.flatMap((phone) => ("phone" in phone ? [phone.phone] : [])))];
}

/** Numbers that stand in a row which is not to be read: cells that are a number and its separators, found a character at a time. */
export function plainPhonesIn(cells: readonly string[]): string[] {
  const phones = new Set<string>();
  for (const cell of cells) {
    let digits = "";
    let isNumber = true;
    for (const char of cell) {
      if (char >= "0" && char <= "9") digits += char;
      else if (!" +().-/'".includes(char)) isNumber = false;
      if (!isNumber || digits.length > 15) break;
    }
    if (!isNumber || digits.length < 8 || digits.length > 15) continue;
    phones.add(cell.includes("+") || digits.length !== 10 ? `+${digits}` : `+1${digits}`);
  }
  return [...phones];
}

/** "must have more digits" is about the phone; "has no phone_number" says so itself. */
const phoneProblem = (error: string): string => (error.startsWith("has ") ? error : `phone_number ${error}`);
