const ITEM = "parley-next";

/** Remembers in this tab which page a sign-in leads to, while the browser is at a provider. */
export const keepNext = (next: string): void => sessionStorage.setItem(ITEM, next);

/** The page that was remembered, once. */
export function takeNext(): string {
  const next = sessionStorage.getItem(ITEM);
  sessionStorage.removeItem(ITEM);
  return pageOf(next);
}

/** A page of the console, whatever stood in the address: home, where it is none. */
export const pageOf = (next: string | null): string => (next?.startsWith("/") ? next : "/");
