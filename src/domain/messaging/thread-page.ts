import { invalidField } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { LAST_ID, type Page, pageKey, pageRequest } from "#domain/values/paging.ts";

/** Where a page of conversations starts: after the one whose contact wrote at `at`. */
export type ThreadPageRequest = { limit: number; before: { at: Date; id: Uuid } };

/** Where the first page starts: no tenant's clock comes so far. */
const END_OF_TIME = new Date("9999-12-31T00:00:00Z");

type Walked = { id: Uuid; at: Date; passes: boolean };

/** Reads the page wanted. Its key is the time and the id of the last one that the page before has looked at. */
export function threadPageRequest(query: {
  limit?: number | undefined;
  pagination_key?: string | undefined;
}): ThreadPageRequest {
  const limit = query.limit ?? 100;
  if (query.pagination_key === undefined) return { limit, before: { at: END_OF_TIME, id: LAST_ID } };
  const [, ms, key] = /^(\d{1,14})\.(.+)$/.exec(query.pagination_key) ?? [];
  if (ms === undefined) throw invalidField("pagination_key", "is not a next_pagination_key of this list");
  return { limit, before: { at: new Date(Number(ms)), id: pageRequest({ pagination_key: key }).before } };
}

/**
 * The page of what was found. A row that does not pass the filters only says how far the search has come: the page then holds fewer than its
 * limit, and more may follow.
 */
export function threadPageOf<T extends Walked>(rows: readonly T[], limit: number): Page<T> {
  const passing = rows.filter(({ passes }) => passes);
  const items = passing.slice(0, limit);
  const isCut = passing.length > limit;
  const last = isCut ? items.at(-1)! : rows.at(-1);
  const hasMore = isCut || last?.passes === false;
  return { items, hasMore, nextKey: hasMore && last ? `${last.at.getTime()}.${pageKey(last.id)}` : null };
}
