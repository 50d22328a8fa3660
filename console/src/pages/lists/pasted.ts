import { LIKE_PHONE } from "./columns.ts";

/** A file of what was pasted. Where its first line is a contact already, a line that names the columns goes before it. */
export function pastedFile(text: string): File {
  const body = text.trim();
  const [first = ""] = body.split(/[\r\n]/, 1);
  const delimiter = ["\t", ";", ","].find((mark) => first.includes(mark)) ?? ",";
  const cells = first.split(delimiter);
  const phone = cells.findIndex((cell) => LIKE_PHONE.test(cell.trim()));
  const names = cells.map((_, i) => (i === phone ? "phone_number" : `column_${i + 1}`));
  const head = phone < 0 ? "" : `${names.join(delimiter)}\n`;
  return new File([head, body, "\n"], "Pasted contacts.csv", { type: "text/csv" });
}
