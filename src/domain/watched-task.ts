import type { Uuid } from "./id.ts";

export const WATCHED_KINDS = ["text", "reply", "opt_out_judgement", "extraction", "call_analysis"] as const;

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
export const taskId = ({ kind, id }: Pick<WatchedTask, "kind" | "id">): string =>
  btoa(`${kind} ${id}`)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");

/** The task that `taskId` names; undefined for what names none. */
export function parseTaskId(tenantId: Uuid, text: string): WatchedTask | undefined {
  // A base64 text never has one character left over; atob would throw.
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(text) || text.length % 4 === 1) return undefined;
  const [word, ...id] = atob(text.replaceAll("-", "+").replaceAll("_", "/")).split(" ");
  const kind = WATCHED_KINDS.find((it) => it === word);
  return kind && /^[ -~]+$/.test(id.join(" ")) ? { tenantId, kind, id: id.join(" ") } : undefined;
}

export const taskKey = ({ tenantId, kind, id }: WatchedTask): string => `${tenantId} ${kind} ${id}`;
