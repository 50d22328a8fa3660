import type { Query, QueryClient } from "@tanstack/react-query";
import type { EventKind, LoggedEvent } from "#contract/system/events.ts";
import type { GetKey } from "./operations.ts";
import { STALE_BY_KIND } from "./stale-by-kind.ts";

/** A campaign makes hundreds of events a second: an answer is asked again at most this often. */
const REFRESH_EVERY_MS = 1_000;

/** A list of which more has been scrolled to than this is not asked again under its reader: it says that it is behind. */
export const LIVE_PAGES = 2;

type Waiting = { lastAt: number; timer: ReturnType<typeof setTimeout> | undefined };
const waiting = new Map<string, Waiting>();

/** Has everything that is shown and that one of these events makes stale asked again, soon and not too often. */
export function refreshStale(client: QueryClient, events: readonly LoggedEvent[]): void {
  const isStale = (query: Query) =>
    events.some((event) => STALE_BY_KIND[event.kind].includes(query.queryKey[0] as GetKey) && isAbout(query, event));
  for (const query of client.getQueryCache().getAll()) if (isStale(query)) refreshSoon(client, query);
}

/** Asks again what events of these kinds may have made stale, once each; without kinds everything. */
export function refreshAll(client: QueryClient, kinds: readonly EventKind[] | undefined): void {
  if (kinds === undefined) return void client.invalidateQueries();
  const keys = new Set<unknown>(kinds.flatMap((kind) => STALE_BY_KIND[kind]));
  void client.invalidateQueries({ predicate: ({ queryKey: [key] }) => keys.has(key) });
}

/** The first at once, the others together a second later. */
function refreshSoon(client: QueryClient, query: Query): void {
  const entry = waiting.get(query.queryHash) ?? { lastAt: 0, timer: undefined };
  waiting.set(query.queryHash, entry);
  if (entry.timer !== undefined) return;
  const refresh = () => {
    // What is under way was asked before this event, and would be thrown away: on a slow service nothing would ever come.
    if (query.state.fetchStatus === "fetching") {
      entry.timer = setTimeout(refresh, REFRESH_EVERY_MS);
      return;
    }
    waiting.set(query.queryHash, { lastAt: Date.now(), timer: undefined });
    const refetchType = pagesOf(query) > LIVE_PAGES ? "none" : "active";
    void client.invalidateQueries({ queryKey: query.queryKey, exact: true, refetchType });
  };
  entry.timer = setTimeout(refresh, Math.max(0, entry.lastAt + REFRESH_EVERY_MS - Date.now()));
}

const pagesOf = ({ state }: Query): number => (state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0;

/** An answer about one thing is stale only by an event about that same thing. */
function isAbout({ queryKey }: Query, { data }: LoggedEvent): boolean {
  const { params = {} } = (queryKey[1] ?? {}) as { params?: Record<string, unknown> };
  return Object.entries(params).every(([name, value]) => {
    const other = (data as Record<string, unknown>)[name];
    return other === undefined || other === null || other === value;
  });
}
