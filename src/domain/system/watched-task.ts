import { fromBase64url, toBase64url } from "#domain/values/base64url.ts";
import type { Uuid } from "#domain/values/id.ts";

export const WATCHED_KINDS = [
  "text",
  "reply",
  "opt_out_judgement",
  "extraction",
  "call_analysis",
  "import_row",
  "import_file",
] as const;

/** Something that a process does with other people's text, so small that the rest goes on without it. */
export type WatchedTask = {
  tenantId: Uuid;
  kind: (typeof WATCHED_KINDS)[number];
  /** Of the thing; nothing in it is a contact's. */
  id: string;
};

/** One that has held so many processes is left alone: once may be chance, for others were under way as well. */
export const SET_ASIDE_AFTER = 2;

/** As others call it: what is in it is of no use to them. */
export const taskId = ({ kind, id }: Pick<WatchedTask, "kind" | "id">): string => toBase64url(`${kind} ${id}`);

/** The task that `taskId` names; undefined for what names none. */
export function parseTaskId(tenantId: Uuid, text: string): WatchedTask | undefined {
  const [word, ...id] = fromBase64url(text)?.split(" ") ?? [];
  const kind = WATCHED_KINDS.find((kind) => kind === word);
  return kind && /^[ -~]+$/.test(id.join(" ")) ? { tenantId, kind, id: id.join(" ") } : undefined;
}

export const taskKey = ({ tenantId, kind, id }: WatchedTask): string => `${tenantId} ${kind} ${id}`;

/** The task whose `taskKey` it is; undefined for what is none. */
export function parseTaskKey(key: string): WatchedTask | undefined {
  const [tenantId, word, ...id] = key.split(" ");
  const kind = WATCHED_KINDS.find((kind) => kind === word);
  return kind && { tenantId: tenantId as Uuid, kind, id: id.join(" ") };
}

/** What the thread for imports is at: a row of a file, or, with 0, the file as such. */
export const importTask = (tenantId: Uuid, importId: Uuid, row: number): WatchedTask =>
  row > 0
    ? { tenantId, kind: "import_row", id: `${importId} ${row}` }
    : { tenantId, kind: "import_file", id: importId };

/** The import of such a task, and its row, if it is one; undefined for a task of another kind. */
export function importOf({ kind, id }: Pick<WatchedTask, "kind" | "id">): { importId: Uuid; row: number } | undefined {
  if (kind !== "import_row" && kind !== "import_file") return undefined;
  const [importId = "", row = "0"] = id.split(" ");
  return { importId, row: Number(row) };
}
