import { pathOf } from "#api/client.ts";
import type { Given, Key } from "#api/operations.ts";
import { CopyButton } from "./copy-button.tsx";

/** What the page asks or does, as a line for a shell: the key comes from $PARLEY_API_KEY. */
export function CopyAsCurl<K extends Key>({ operation, args }: { operation: K; args: Given<K>[0] }) {
  return <CopyButton label="Copy as cURL" text={curl(operation, args)} />;
}

/** `curl` of an operation with its arguments, quoted for a POSIX shell. */
export function curl<K extends Key>(operation: K, args: Given<K>[0]): string {
  const method = operation.slice(0, operation.indexOf(" "));
  const { body } = (args ?? {}) as { body?: unknown };
  const url = location.origin + pathOf(operation, ...([args] as unknown as Given<K>));
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`,
    `-H "X-API-Key: $PARLEY_API_KEY"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(" \\\n  ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
