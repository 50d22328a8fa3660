/** Cuts rows into pieces of at most `size`, in order: what one statement, or one turn of the event loop, takes. */
export function piecesOf<T>(rows: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size));
}
