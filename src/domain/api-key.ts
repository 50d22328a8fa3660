/** The powers a key can have. `send` covers campaigns, calls and messages; `admin` keys, users and organizations. */
export const SCOPES = ["read", "write", "send", "admin"] as const;
export type KeyScope = (typeof SCOPES)[number];

export type KeyMode = "live" | "test";

/**
 * Reads `pk_test_<id>_<secret>`. The lookup part finds the key's row; the whole text is then compared by digest. A
 * bootstrap key of the operator's own making may lack the id: its lookup is then the digest's own, by `fallback`.
 */
export function readKey(key: string, fallback: (key: string) => string): { mode: KeyMode; lookup: string } | undefined {
  const match = /^pk_(live|test)_([!-~]{1,200})$/.exec(key);
  if (!match) return undefined;
  const id = /^([0-9a-z]{26})_/.exec(match[2]!)?.[1];
  return { mode: match[1] as KeyMode, lookup: id ?? fallback(key) };
}
