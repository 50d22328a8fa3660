import { setImmediate } from "node:timers/promises";
import { normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import type { ReplyRequest } from "#ports/language-model.ts";
import { replyTo } from "./reply.ts";

/** Texts that meet most patterns between them; nothing of them is kept. */
const TEXTS = ["hi, who is this?", "yes, tuesday at 3, about 200 dollars", "no thanks"];

/**
 * A pattern is compiled when it is first met, and all of them together take some 100 ms of the first turn of a process. Done here, in parts
 * between which everything else has its turn, before anybody waits for an answer.
 */
export async function warmDialogEngine(): Promise<void> {
  for (const text of TEXTS) {
    await setImmediate();
    replyTo(requestWith(text));
  }
}

function requestWith(text: string): ReplyRequest {
  const at = new Date(0);
  return {
    agent: { name: "Ann", organization: "Acme", instructions: "A visit is free. Never name a price." },
    contact: {},
    contactZone: "UTC",
    now: at,
    history: [
      { id: "a", role: "agent", text: "Hi, would you like a visit?", at },
      { id: "b", role: "contact", text, at },
    ],
    fields: FIELDS,
    known: {},
    tools: [],
    maxCharacters: 300,
    prompt: { system: "", messages: [] },
  };
}

const FIELDS: ReplyRequest["fields"] = normaliseExtractionFields([
  { name: "wants_visit", type: "boolean" },
  "budget",
  "bedrooms",
  "email",
  "zip_code",
  "phone",
  "city",
  "full_name",
  "visit_time",
  "reason",
  { name: "size", choices: ["small", "large"] },
]);
