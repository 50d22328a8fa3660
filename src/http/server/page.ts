import type { Page } from "#domain/values/paging.ts";

/** A list's answer: the items under their plural, and the next page's key. */
export function pageAnswer<T, V>(plural: string, page: Page<T>, view: (item: T) => V): Record<string, unknown> {
  return {
    [plural]: page.items.map(view),
    count: page.items.length,
    has_more: page.hasMore,
    next_pagination_key: page.nextKey,
  };
}
