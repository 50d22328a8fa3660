import { invalidField } from "#domain/values/errors.ts";
import { parseInstant } from "#domain/values/instant.ts";
import type { Page } from "#domain/values/paging.ts";

/** Where a page of calls starts: with those that began before. No two calls of a tenant began in the same millisecond. */
export type CallPageRequest = { limit: number; before: Date | undefined };

/** Reads the page wanted. Its key is the `start_timestamp` of the last call of the page before: 400 for what is no time. */
export function callPageRequest(query: {
  limit?: number | undefined;
  pagination_key?: string | undefined;
}): CallPageRequest {
  const limit = query.limit ?? 100;
  if (query.pagination_key === undefined) return { limit, before: undefined };
  const before = parseInstant(query.pagination_key);
  if (!before) throw invalidField("pagination_key", "is not a next_pagination_key of this list");
  return { limit, before };
}

/** Cuts the row that was read too many off again. What filters of the caller's leave out is left out after this. */
export function callPageOf<T extends { start_at: Date }>(rows: readonly T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return { items, hasMore, nextKey: hasMore ? items.at(-1)!.start_at.toISOString() : null };
}
