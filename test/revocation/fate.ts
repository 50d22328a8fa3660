import { isPlainStop, keywordOf } from "#domain/compliance/keyword.ts";
import { wishOf } from "#domain/compliance/opt-out.ts";
import type { Row } from "./rows.ts";

/**
 * What becomes of a contact that writes or says this, as rules alone decide it: `opted_out` at once; `in_doubt`, held until a
 * language model or a person has looked, and opted out where there is none; `sent_on`, as if it were an answer like others.
 */
export type Fate = "opted_out" | "in_doubt" | "sent_on";

const FATES = { stop: "opted_out", unclear: "in_doubt", none: "sent_on" } as const;

/** In the order of operations/messaging/receive-message.ts for a text, and of conversation/calls/dialog.ts for words in a call. */
export function fateOf({ channel, text }: Pick<Row, "channel" | "text">): Fate {
  if (channel === "text") {
    if (isPlainStop(text)) return "opted_out";
    const keyword = keywordOf(text);
    if (keyword !== undefined) return keyword === "stop" ? "opted_out" : "sent_on";
  }
  return FATES[wishOf(text).wish];
}

export type Judged = Row & { fate: Fate };

export const judgeRows = (rows: readonly Row[]): Judged[] => rows.map((row) => ({ ...row, fate: fateOf(row) }));

/** A stop that is missed, or another row that opts the contact out or raises a doubt. What is unclear has no right answer. */
export const isMiss = ({ label, fate }: Judged): boolean =>
  (label === "stop" && fate === "sent_on") || (label === "not_stop" && fate !== "sent_on");
