import { fieldErrors, messageOf } from "#api/error.ts";
import type { Answer } from "#api/operations.ts";

export type Turn = Answer<"POST /v1/playground/turns">["turn"];
export type Action = Turn["actions"][number];

/** A line of the conversation; `turn` is how the agent came to it. */
export type Line = { role: "contact" | "agent"; text: string | null; turn?: Turn };

/** After one of these a real conversation is over. */
const ENDS: ReadonlySet<string> = new Set(["do_not_message", "do_not_call", "end_call", "transfer_call"]);
export const isOver = (lines: readonly Line[]): boolean =>
  lines.some(({ turn }) => turn?.actions.some(({ type }) => ENDS.has(type)) ?? false);

/** What the API takes as the past: what was really said. */
export const historyOf = (lines: readonly Line[]): { role: "contact" | "agent"; text: string }[] =>
  lines.flatMap(({ role, text }) => (text === null ? [] : [{ role, text }]));

/** The API names a field by its path, the page by its name. */
export function sentenceOf(error: unknown): string {
  const [path, message] = Object.entries(fieldErrors(error))[0] ?? [];
  if (!path?.startsWith("contact.")) return messageOf(error);
  return `The contact's ${path.slice("contact.".length).replaceAll("_", " ")} ${message}`;
}

/** What a real turn would do, in words. */
export function actionWords({ type, outcome, at, to, digits }: Action): string {
  const when = at ? new Date(at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" }) : "";
  switch (type) {
    case "end_conversation":
      return `Ends the conversation${outcome ? ` as “${outcome.replaceAll("_", " ")}”` : ""}: no more follow-ups`;
    case "do_not_message":
      return "Opts the contact out: nothing more is sent";
    case "ask_person":
      return "Marks the conversation for a person, and goes on answering";
    case "schedule_call":
      return `Plans a call for ${when}`;
    case "transfer_to_voice":
      return "Calls the contact now";
    case "end_call":
      return "Hangs up";
    case "do_not_call":
      return "Opts the contact out: never called again";
    case "schedule_callback":
      return `Plans to call again at ${when}`;
    case "transfer_call":
      return `Puts the call through to ${to}`;
    case "press_digits":
      return `Presses ${digits}`;
    default:
      return type;
  }
}
