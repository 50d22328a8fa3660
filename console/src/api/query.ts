import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useMemo, useSyncExternalStore } from "react";
import { call, callUntil } from "./client.ts";
import type { ApiError } from "./error.ts";
import type { Answer, Args, GetKey, Given, Item, ListKey, Plural, WriteKey } from "./operations.ts";

/** Rows of one page of a list: two screens of a dense table. */
const PAGE_ROWS = 100;

/** The key of an operation's answers in the cache; without arguments it is the key of all of them. */
export const queryKey = <K extends GetKey>(key: K, args?: Args<K>): QueryKey => (args ? [key, args] : [key]);

/**
 * The answer of a GET, kept fresh by the live events of its kind.
 *
 * @param args `undefined` while something that it needs is not known yet: nothing is asked
 */
export function useAnswer<K extends GetKey>(
  key: K,
  args: Args<K> | undefined,
  { refetchIntervalMs, isAskedAnew }: { refetchIntervalMs?: number; isAskedAnew?: boolean } = {},
): UseQueryResult<Answer<K>, ApiError> {
  return useQuery<Answer<K>, ApiError>({
    queryKey: queryKey(key, args),
    queryFn: ({ signal }) => callUntil(signal, key, ...([args] as unknown as Given<K>)),
    enabled: args !== undefined,
    ...(refetchIntervalMs === undefined ? {} : { refetchInterval: refetchIntervalMs }),
    // Whatever was shown a moment ago: somebody comes back after having changed what no event reports.
    ...(isAskedAnew ? { refetchOnMount: "always" as const } : {}),
  });
}

type Result<K extends ListKey> = UseInfiniteQueryResult<InfiniteData<Answer<K>>, ApiError>;
/** What pages need to know of it: whoever looks at more is drawn again with each request, and not with each answer that says something else. */
type Known = "data" | "error" | "isPending" | "hasNextPage" | "isFetchingNextPage" | "fetchNextPage" | "refetch";

export type Pages<K extends ListKey> = Pick<Result<K>, Known> & {
  rows: readonly Item<K>[];
  /** Something has changed since, and the list was too long to be asked again under its reader. */
  isBehind: boolean;
  /** Begins the list anew. */
  catchUp: () => void;
};

/** A list, page by page: `rows` are those that have come. DataTable takes the whole as it is. */
export function usePages<K extends ListKey>(key: K, plural: Plural<K>, args: Args<K> | undefined): Pages<K> {
  const client = useQueryClient();
  const name = [key, args, "pages"];
  const result = useInfiniteQuery<Answer<K>, ApiError, InfiniteData<Answer<K>>, QueryKey, string | undefined>({
    queryKey: name,
    queryFn: ({ signal, pageParam }) => {
      const { query, ...rest } = args as { query?: object };
      const paged = {
        ...rest,
        query: { limit: PAGE_ROWS, ...query, ...(pageParam ? { pagination_key: pageParam } : {}) },
      };
      return callUntil(signal, key, ...([paged] as unknown as Given<K>));
    },
    initialPageParam: undefined,
    getNextPageParam: (last) => (last as { next_pagination_key: string | null }).next_pagination_key ?? undefined,
    enabled: args !== undefined,
  });
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = result;
  const isBehind = useSyncExternalStore(
    (changed) => client.getQueryCache().subscribe(changed),
    () => {
      const state = client.getQueryState(name);
      return state?.isInvalidated === true && state.fetchStatus !== "fetching";
    },
  );
  const rows = useMemo(() => (data?.pages ?? []).flatMap((page) => page[plural] as readonly Item<K>[]), [data, plural]);
  const catchUp = () => void client.resetQueries({ queryKey: name, exact: true });
  return { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch, rows, isBehind, catchUp };
}

/**
 * Something that changes: `mutate(args)` or `mutateAsync(args)`. What it makes stale is asked again before it counts
 * as done, so that the page shows what was done. `isShown` where the page shows itself what fails.
 */
export function useSend<K extends WriteKey>(
  key: K,
  stale: readonly GetKey[] = [],
  { isShown = false }: { isShown?: boolean } = {},
): UseMutationResult<Answer<K>, ApiError, Args<K>> {
  const client = useQueryClient();
  return useMutation<Answer<K>, ApiError, Args<K>>({
    mutationFn: (args) => call(key, ...([args] as unknown as Given<K>)),
    onSuccess: () => Promise.all(stale.map((name) => client.invalidateQueries({ queryKey: [name] }))),
    meta: { isShown },
  });
}
