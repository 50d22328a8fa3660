import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";

/**
 * Filters that live in the URL: a link to the page is a link to what it shows, and going back brings it back.
 *
 * @param names of the parameters; a filter that is not set is undefined
 * @returns the values, and what changes some of them
 */
export function useSearchFilters<Name extends string>(
  names: readonly Name[],
): [Partial<Record<Name, string>>, (change: Partial<Record<Name, string | null | undefined>>) => void] {
  const [search, setSearch] = useSearchParams();
  const list = names.join();
  const values = useMemo(() => {
    const set = list.split(",").flatMap((name) => {
      const value = search.get(name);
      return value === null || value === "" ? [] : [[name, value]];
    });
    return Object.fromEntries(set) as Partial<Record<Name, string>>;
  }, [search, list]);
  const change = useCallback(
    (some: Partial<Record<Name, string | null | undefined>>) => {
      setSearch(
        () => {
          // Two changes may come before the first of them is drawn: the last value of the hook is older than the URL.
          const after = new URLSearchParams(location.search);
          for (const [name, value] of Object.entries(some) as [string, string | null | undefined][]) {
            if (value) after.set(name, value);
            else after.delete(name);
          }
          return after;
        },
        { replace: true, preventScrollReset: true },
      );
    },
    [setSearch],
  );
  return [values, change];
}
