import { invalidField } from "./errors.ts";
import type { Uuid } from "./id.ts";

/** Sorts after every UUID that is made: where the first page starts. */
export const LAST_ID: Uuid = "ffffffff-ffff-ffff-ffff-ffffffffffff";

const KEY = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export type PageRequest = { limit: number; before: Uuid };
export type Page<T> = { items: T[]; hasMore: boolean; nextKey: string | null };

/**
 * Where a list's page starts. The key is the last item's uuid in base64url: opaque to callers, and harmless when
 * it is another list's or another tenant's, since it only bounds a query that names the tenant itself.
 */
export function pageRequest(query: { limit?: number | undefined; pagination_key?: string | undefined }): PageRequest {
  const limit = query.limit ?? 100;
  if (query.pagination_key === undefined) return { limit, before: LAST_ID };
  const bytes = base64urlBytes(query.pagination_key);
  const hex = bytes?.map((byte) => byte.toString(16).padStart(2, "0")).join("") ?? "";
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  if (!KEY.test(uuid)) throw invalidField("pagination_key", "is not a next_pagination_key of this list");
  return { limit, before: uuid };
}

/** Cuts the row that was read too many off again, and makes the next page's key of the last one kept. */
export function pageOf<T extends { id: Uuid }>(rows: T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const last = items.at(-1);
  return { items, hasMore, nextKey: hasMore && last ? pageKey(last.id) : null };
}

/** A row's id as a part of a key: opaque, and read by `pageRequest`. */
export function pageKey(uuid: Uuid): string {
  const hex = uuid.replaceAll("-", "");
  const bytes = Array.from({ length: 16 }, (_, i) => Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");
}

function base64urlBytes(text: string): number[] | undefined {
  if (!/^[A-Za-z0-9_-]{22}$/.test(text)) return undefined;
  return [...atob(text.replaceAll("-", "+").replaceAll("_", "/"))].map((char) => char.charCodeAt(0));
}
