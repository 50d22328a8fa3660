import type { Agent } from "#domain/agents/agent.ts";
import type { Script } from "#domain/agents/script.ts";

/** Shows what the agent without a model makes of an agent. */
export interface ScriptReader {
  /** With the questions that a person wrote in the place of those that were read. Never fails. */
  read(agent: Agent): Script;
}
