import { guessFields, LIKE_PHONE, WHOLE_NAME } from "./columns.ts";
import { type Table, tableOf } from "./read-table.ts";

/** Names of the columns other than the phone's where nobody has named them, by how many there are. */
const UNNAMED: readonly (readonly string[])[] = [[], ["name"], ["first_name", "last_name"]];

/** What was pasted, with a line that names the columns before it where its first line is a contact already. */
function withHead(text: string): string {
  const body = text.trim();
  const [first = ""] = body.split(/[\r\n]/, 1);
  const delimiter = ["\t", ";", ","].find((mark) => first.includes(mark)) ?? ",";
  const cells = first.split(delimiter).map((cell) => cell.trim());
  const phone = cells.findIndex((cell) => LIKE_PHONE.test(cell));
  if (phone < 0) return body;
  // Numbers alone, side by side.
  if (cells.length > 1 && cells.every((cell) => cell === "" || LIKE_PHONE.test(cell))) {
    return `phone_number\n${body.replaceAll(delimiter, "\n")}`;
  }
  const names = UNNAMED[cells.length - 1] ?? cells.map((_, i) => `column_${i + 1}`);
  const head = names.toSpliced(phone, names.length === cells.length ? 1 : 0, "phone_number");
  return `${head.join(delimiter)}\n${body}`;
}

/** A file of what was pasted. */
export const pastedFile = (text: string): File =>
  new File([withHead(text), "\n"], "Pasted contacts.csv", { type: "text/csv" });

/** "Anna Lee" -> the first name Anna, the last name Lee; "Lee, Anna" too. */
function namesIn(cell: string): [string, string][] {
  const [last, comma] = cell.split(/,\s*/);
  const [first = "", ...rest] = comma ? [comma, last!] : cell.split(/\s+/);
  return rest.length === 0
    ? [["first_name", first]]
    : [
        ["first_name", first],
        ["last_name", rest.join(" ")],
      ];
}

/** Contacts that were pasted, as the API takes them. A row that has no number is left out; what else is wrong the API judges. */
export type Pasted = {
  table: Table;
  /** What each column fills; null where it is left out. */
  fields: (string | null)[];
  contacts: Record<string, string>[];
  problem?: string;
};

/** Reads phone numbers, one a line; names and numbers; or a table with a head, as a spreadsheet puts it on the clipboard. */
export function readPasted(text: string): Pasted {
  const whole = withHead(text);
  const read = tableOf(whole, {}, true);
  // Rows are counted as they were pasted.
  const added = whole === text.trim() ? 0 : 1;
  const table = { ...read, rows: read.rows.map((row) => ({ ...row, number: row.number - added })) };
  const fields = guessFields(table.header, table.rows);
  if (text.trim() === "") return { table, fields, contacts: [] };
  if (!fields.includes("phone_number")) {
    return { table, fields, contacts: [], problem: "No column has phone numbers: name one of them phone_number." };
  }
  const contacts = table.rows
    .map(({ cells }) =>
      Object.fromEntries(
        fields.flatMap((field, i): [string, string][] => {
          const cell = cells[i]?.trim();
          if (!field || !cell) return [];
          return field === WHOLE_NAME ? namesIn(cell) : [[field, cell]];
        }),
      ),
    )
    .filter(({ phone_number }) => phone_number !== undefined);
  return { table, fields, contacts };
}
