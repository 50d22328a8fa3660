/** A part of a file, in bytes; `end` is the first byte that is no more in it. */
export type ByteRange = { start: number; end: number };

const FORM = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The part that a `Range` header asks for of a file of so many bytes. Undefined: the whole file, also for what is no range
 * or several of them (RFC 9110 lets a server pass over both). "beyond" when the file ends before the range begins.
 */
export function byteRange(header: string | undefined, bytes: number): ByteRange | "beyond" | undefined {
  const [, from, to] = FORM.exec(header?.replaceAll(" ", "") ?? "") ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) return undefined;
  if (from === "") {
    const length = Math.min(Number(to), bytes);
    return length === 0 ? "beyond" : { start: bytes - length, end: bytes };
  }
  const start = Number(from);
  const end = to === "" ? bytes : Math.min(Number(to) + 1, bytes);
  if (to !== "" && Number(to) < start) return undefined;
  return start >= bytes ? "beyond" : { start, end };
}
