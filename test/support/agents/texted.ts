import { dialogEngine } from "#adapters/dialog-engine/engine.ts";
import { checkExtraction } from "#domain/agents/extraction.ts";
import { type ExtractionFieldInput, normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import type { HistoryMessage, ReplyRequest, ToolName } from "#ports/language-model.ts";

export type TextedAgent = {
  start: string;
  prompt: string;
  fields: readonly ExtractionFieldInput[];
  tools?: readonly ToolName[];
  /** The contact's fields. */
  contact?: ReplyRequest["contact"];
  /** When it all happens: without it on a Friday, eight in the morning in Denver. */
  now?: Date;
};

/** A conversation of texts with the dialog engine: its answers, the tools that it called, and what is known at the end, before and after it is checked. */
export async function texted(agent: TextedAgent, texts: readonly string[]) {
  const now = agent.now ?? new Date("2026-11-20T15:00:00Z");
  const model = dialogEngine();
  const { signal } = new AbortController();
  const history: HistoryMessage[] = [{ id: "start", role: "agent", text: agent.start, at: now }];
  const fields = normaliseExtractionFields([...agent.fields]);
  const request = (): ReplyRequest => ({
    agent: { name: "Ava", organization: "Acme Homes", instructions: agent.prompt },
    contact: agent.contact ?? {},
    contactZone: "America/Denver",
    now,
    history,
    fields,
    known: {},
    tools: (agent.tools ?? []).map((name) => ({ name, description: name, parameters: {} })),
    maxCharacters: 600,
    prompt: { system: "", messages: [] },
  });
  const answers: string[] = [];
  const called: string[] = [];
  for (const [index, text] of texts.entries()) {
    history.push({ id: `c${index}`, role: "contact", text, at: now });
    const reply = await model.reply(request(), signal);
    answers.push(reply.text);
    called.push(...reply.toolCalls.map(({ name }) => name));
    if (reply.text !== "") history.push({ id: `a${index}`, role: "agent", text: reply.text, at: now });
  }
  const value = (await model.extract(request(), signal)).value as {
    extracted_fields: Record<string, string>;
    evidence: Record<string, { message_id: string; quote: string }>;
    lead_outcome: string;
  };
  const facts = { doNotMessage: false, callTransferred: false };
  const { extracted_fields: kept } = checkExtraction(value, fields, history, facts).extraction;
  return {
    answers,
    called,
    kept,
    known: value.extracted_fields,
    evidence: value.evidence,
    outcome: value.lead_outcome,
  };
}
