/** As the API names them. */
export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "latin1"] as const;
export type Encoding = (typeof ENCODINGS)[number];
const DELIMITERS = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" } as const;
export type Delimiter = keyof typeof DELIMITERS;

/** How a file was read: found out here by the API's own rules, or chosen by its owner. */
export type Format = { encoding: Encoding; delimiter: Delimiter };

export type Table = Format & {
  header: string[];
  /** Each with its number as a spreadsheet counts: the header is row 1. */
  rows: { number: number; cells: string[] }[];
  /** Nothing of the file is missing: it was short enough to be looked at altogether. */
  isWhole: boolean;
};

/** As much of a file as is looked at here; all of it is read by the service. */
const LOOKED_AT_BYTES = 64 * 1024;

/** Reads the beginning of a file as a table. What is cut off at its end is left out. */
export async function readTable(file: File, chosen: Partial<Format>): Promise<Table> {
  const bytes = new Uint8Array(await file.slice(0, LOOKED_AT_BYTES).arrayBuffer());
  const isWhole = file.size <= LOOKED_AT_BYTES;
  const encoding = chosen.encoding ?? encodingOf(bytes, isWhole);
  const label = encoding === "latin1" ? "windows-1252" : encoding;
  const text = new TextDecoder(label).decode(bytes, { stream: !isWhole });
  return tableOf(text, { ...chosen, encoding }, isWhole);
}

/** Text as a table. Where it `isWhole`, its last line is one too. */
export function tableOf(text: string, chosen: Partial<Format>, isWhole: boolean): Table {
  const encoding = chosen.encoding ?? "utf-8";
  const delimiter = chosen.delimiter ?? delimiterOf(text.trimStart());
  const all = rowsOf(text, DELIMITERS[delimiter]);
  const rows = (isWhole ? all : all.slice(0, -1)).filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  const [head, ...rest] = rows;
  return { encoding, delimiter, isWhole, header: (head?.cells ?? []).map((cell) => cell.trim()), rows: rest };
}

function encodingOf(bytes: Uint8Array, isWhole: boolean): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes.length > 3 && bytes[1] === 0 && bytes[3] === 0) return "utf-16le";
  if (bytes.length > 3 && bytes[0] === 0 && bytes[2] === 0) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
    return "utf-8";
  } catch {
    return "latin1";
  }
}

/** The one that is most often in the first line, outside of quotes. */
function delimiterOf(text: string): Delimiter {
  const [line = ""] = text.replace(/"[^"]*"/g, "").split(/[\r\n]/, 1);
  const count = (name: Delimiter) => line.split(DELIMITERS[name]).length;
  return (Object.keys(DELIMITERS) as Delimiter[]).reduce((best, delimiter) =>
    count(delimiter) > count(best) ? delimiter : best,
  );
}

/** RFC 4180, with any line ending; quotes hold delimiters, line ends, and quotes that are written twice. */
function rowsOf(text: string, delimiter: string): Table["rows"] {
  const rows: Table["rows"] = [];
  let cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  const endRow = () => {
    cells.push(cell);
    rows.push({ number: rows.length + 1, cells });
    [cells, cell] = [[], ""];
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') cell += text[++i];
      else isQuoted = false;
    } else if (char === '"' && cell === "") isQuoted = true;
    else if (char === delimiter) {
      cells.push(cell);
      cell = "";
    } else if (char === "\n" || char === "\r") {
      if (char === "\r" && text[i + 1] === "\n") i++;
      endRow();
    } else cell += char;
  }
  if (cell !== "" || cells.length > 0) endRow();
  return rows;
}
