import type { Agent } from "#domain/agents/agent.ts";
import type { Script } from "#domain/agents/script.ts";
import type { Conversation } from "#ports/language-model.ts";
import type { ScriptReader } from "#ports/script-reader.ts";
import { factsOf } from "./facts.ts";
import { stateOf } from "./walk.ts";

/** The engine's own reading of an agent, as it leads a conversation by it. */
export function scriptReader(): ScriptReader {
  return { read } satisfies ScriptReader;
}

function read(agent: Agent): Script {
  const { slots, pending } = stateOf(openedBy(agent), {});
  const { stated, forbidden } = factsOf(agent.prompt);
  return {
    questions: slots.map((slot) => {
      const { field, kind, questions, spanish } = slot;
      return {
        field: field.name,
        kind,
        question: questions[0]!,
        rephrased: questions.slice(1),
        spanish: [...spanish],
        choices: [...field.choices],
        required: field.required,
        isFirst: slot === pending,
      };
    }),
    facts: stated.map(({ text }) => text),
    offLimits: forbidden.map(({ text }) => text),
  };
}

/** A conversation in which nothing but the first text was said. */
function openedBy({ agent_name, prompt, questions, starting_message, extraction_fields }: Agent): Conversation {
  const at = new Date(0);
  return {
    agent: { name: agent_name, organization: "", instructions: prompt, ...(questions ? { questions } : {}) },
    contact: {},
    contactZone: "UTC",
    now: at,
    history: starting_message === undefined ? [] : [{ id: "start", role: "agent", text: starting_message, at }],
    fields: extraction_fields,
  };
}
