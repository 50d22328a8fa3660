import { fromBase64url, toBase64url } from "./base64url.ts";
import { invalidField } from "./errors.ts";
import type { Page } from "./paging.ts";

/** Where a page of a list that is not ordered by UUIDs starts: after the item with this key. */
export type TextPageRequest = { limit: number; after: readonly string[] | undefined };

const SEPARATOR = "|";

/** Reads the page wanted of a list whose key has `parts` parts. 400 for a key that is not one of this list. */
export function textPageRequest(
  query: { limit?: number | undefined; pagination_key?: string | undefined },
  parts: readonly RegExp[],
): TextPageRequest {
  const limit = query.limit ?? 100;
  if (query.pagination_key === undefined) return { limit, after: undefined };
  const after = fromBase64url(query.pagination_key)?.split(SEPARATOR);
  const fits = after?.length === parts.length && parts.every((form, i) => form.test(after[i]!));
  if (!fits) throw invalidField("pagination_key", "is not a next_pagination_key of this list");
  return { limit, after };
}

/** Cuts the row that was read too many off again, and makes the next page's key of the last one kept. */
export function textPageOf<T>(rows: readonly T[], limit: number, keyOf: (row: T) => readonly string[]): Page<T> {
  const items = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const last = items.at(-1);
  return { items, hasMore, nextKey: hasMore && last ? textPageKey(keyOf(last)) : null };
}

/** What a page is asked for by that starts after this key. */
export const textPageKey = (key: readonly string[]): string => toBase64url(key.join(SEPARATOR));
