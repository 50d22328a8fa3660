import { type FieldProblem, refuseInvalid } from "./errors.ts";

/** No list has more pages; past it a page number would not be exact. */
const MAX_PAGE = 1_000_000_000;
const MAX_LIMIT = 500;

export type NumberedPage = { page: number; limit: number };

/** Reads the paging of the area-code search, whose numbers are strings: `page` from 1 (1), `limit` 1 to 500 (50). */
export function numberedPage(query: { page?: string | undefined; limit?: string | undefined }): NumberedPage {
  const problems: FieldProblem[] = [];
  const read = (name: "page" | "limit", max: number, preset: number): number => {
    const text = query[name] ?? String(preset);
    const value = /^\d+$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= max) return value;
    problems.push({ field: name, message: `must be a whole number from 1 to ${max}` });
    return preset;
  };
  const wanted = { page: read("page", MAX_PAGE, 1), limit: read("limit", MAX_LIMIT, 50) };
  refuseInvalid(problems);
  return wanted;
}

/** The rows of a page; none beyond the last. */
export function cutPage<T>(rows: readonly T[], { page, limit }: NumberedPage): T[] {
  return rows.slice((page - 1) * limit, page * limit);
}
