/** Contacts that were pasted: what the API takes, or why not. */
export type Pasted = { contacts: Record<string, string>[]; columns: string[]; problem?: string };

/** What people call the column of the phone number. */
const PHONE_NAMES = new Set(["phone_number", "phone", "number", "mobile", "cell", "cell_phone", "telephone", "tel"]);

/**
 * Reads pasted contacts: phone numbers, one a line; or a table with a head, by commas, semicolons or tabs, as a spreadsheet
 * puts it on the clipboard. Numbers are read as they are: the API says which it cannot use.
 */
export function readPasted(text: string): Pasted {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const [head] = lines;
  if (head === undefined) return { contacts: [], columns: [] };
  const delimiter = ["\t", ";", ","].find((mark) => head.includes(mark));
  const isTable = /[a-z]/i.test(head);
  if (!isTable) {
    const cells = delimiter === undefined ? lines : lines.flatMap((line) => line.split(delimiter));
    const numbers = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
    return { contacts: numbers.map((phone_number) => ({ phone_number })), columns: ["phone_number"] };
  }
  const columns = cellsOf(head, delimiter).map(fieldName);
  if (!columns.includes("phone_number")) {
    return { contacts: [], columns, problem: "The first line names the columns; one of them has to be phone_number." };
  }
  const contacts = lines.slice(1).map((line) => {
    const cells = cellsOf(line, delimiter);
    return Object.fromEntries(columns.flatMap((name, i) => (name && cells[i] ? [[name, cells[i]]] : [])));
  });
  return { contacts, columns };
}

function fieldName(title: string): string {
  const name = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  return PHONE_NAMES.has(name) ? "phone_number" : name;
}

/** The cells of a line; one in quotes may hold the delimiter, and a quote written twice. */
function cellsOf(line: string, delimiter = ","): string[] {
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!;
    if (char === '"' && isQuoted && line[i + 1] === '"') {
      cell += '"';
      i++;
    } else if (char === '"') isQuoted = !isQuoted;
    else if (char === delimiter && !isQuoted) {
      cells.push(cell.trim());
      cell = "";
    } else cell += char;
  }
  cells.push(cell.trim());
  return cells;
}
