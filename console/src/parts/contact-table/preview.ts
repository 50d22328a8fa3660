/** Excel's way of showing a long number, and of saving it: the digits behind are lost. */
const SCIENTIFIC = /^\s*\d(?:[.,]\d+)?E\+?\d+\s*$/i;

export const isScientific = (cell: string): boolean => SCIENTIFIC.test(cell);

/** A row as it will probably be stored, or what is wrong with it. The service judges again, by all its rules. */
export type PreviewRow = { number: number; cells: string[]; problem: string | undefined };

/** The cells of the columns that are kept, in their order, the phone number in the form in which it is stored. */
export function previewRow(
  { number, cells }: { number: number; cells: string[] },
  fields: readonly (string | null)[],
): PreviewRow {
  const filled = cells.findLastIndex((cell) => cell.trim() !== "") + 1;
  const isSlipped = cells.length < fields.length || filled > fields.length;
  let problem = isSlipped ? `This row has ${cells.length} cells, the first row has ${fields.length}` : undefined;
  const shown = fields.flatMap((field, i) => {
    const cell = (cells[i] ?? "").trim().replace(/^'(?=[=+\-@])/, "");
    if (field === null) return [];
    if (field === "birthday" && cell !== "" && !/^\d{4}-\d{2}-\d{2}$/.test(cell)) {
      problem ??= "The birthday has to be written as YYYY-MM-DD";
    }
    if (field !== "phone_number") return [cell];
    const phone = asPhone(cell);
    if ("problem" in phone) problem ??= phone.problem;
    return ["phone" in phone ? phone.phone : cell];
  });
  return { number, cells: shown, problem };
}

function asPhone(cell: string): { phone: string } | { problem: string } {
  if (cell === "") return { problem: "There is no phone number" };
  if (isScientific(cell)) return { problem: "Excel has rounded this phone number" };
  if (/\p{L}/u.test(cell)) return { problem: "The phone number has letters in it" };
  const compact = cell.replace(/[^\d+]/g, "");
  const digits = compact.replace(/\D/g, "");
  if (compact.startsWith("+")) {
    if (digits.length < 8) return { problem: "The phone number is too short" };
    return digits.length > 15 ? { problem: "The phone number is too long" } : { phone: `+${digits}` };
  }
  if (digits.length < 10) return { problem: "The phone number is too short: its area code is missing" };
  if (digits.length === 10) return { phone: `+1${digits}` };
  if (digits.length === 11 && digits.startsWith("1")) return { phone: `+${digits}` };
  return { problem: "The phone number has too many digits; one from abroad begins with +" };
}

/** The API's reason for not taking a row, for people. */
export function errorInWords(reason: string, cells: readonly string[]): string {
  if (/^phone_number /.test(reason) && cells.some(isScientific)) return "Excel has rounded this phone number";
  if (/^has \d+ cells/.test(reason)) return `This row ${reason}`;
  if (reason.startsWith("has no phone_number")) return "There is no phone number";
  const text = reason.replace(
    /(^|; )([a-z_]+) (?=must|is|has|holds)/g,
    (_, before: string, field: string) => `${before}The ${field.replaceAll("_", " ")} `,
  );
  return text.charAt(0).toUpperCase() + text.slice(1);
}
