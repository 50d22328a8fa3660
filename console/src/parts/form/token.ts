/** The token of a link, `#token=...`. Behind the # it never reaches a server's log. Undefined where there is none. */
export function tokenOf(hash: string): string | undefined {
  return new URLSearchParams(hash.slice(1)).get("token") ?? undefined;
}
