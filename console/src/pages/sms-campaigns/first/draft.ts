import type { Args } from "#api/operations.ts";
import { TRADES, templateOf } from "#parts/agents/trades.ts";

/** What the guide has asked for so far. */
export type Draft = {
  trade: string | null;
  name: string;
  prompt: string;
  firstText: string;
  sender: string;
  /** Pasted contacts. */
  text: string;
  /** The agent, once the service has it, and as what it was stored. */
  saved: { agent_id: string; as: string } | null;
};

export const EMPTY: Draft = { trade: null, name: "", prompt: "", firstText: "", sender: "", text: "", saved: null };

/** What a trade fills in. */
export function tradeFields(trade: string, organization: string): Partial<Draft> {
  const { agent_name, prompt, starting_message } = templateOf(TRADES[trade]!, "sms", organization);
  return { trade, name: agent_name, prompt, firstText: starting_message };
}

/** Whether nothing is lost when another trade is chosen: nobody has changed what the trade has filled in. */
export function isAsTemplate(draft: Draft, organization: string): boolean {
  const { name, prompt, firstText } =
    draft.trade === null ? EMPTY : { ...EMPTY, ...tradeFields(draft.trade, organization) };
  return draft.name === name && draft.prompt === prompt && draft.firstText === firstText;
}

/** The API's fields of the agent. */
export function agentOf(
  draft: Draft,
): Pick<
  NonNullable<Args<"PATCH /v1/agents/:agent_id">["body"]>,
  "agent_name" | "prompt" | "starting_message" | "extraction_fields"
> {
  const { fields = [] } = draft.trade === null ? {} : TRADES[draft.trade]!;
  return {
    agent_name: draft.name,
    prompt: draft.prompt,
    starting_message: draft.firstText,
    extraction_fields: fields.map(({ name, description, type, required }) => ({ name, description, type, required })),
  };
}

/** Phones of the simulator that converse, all in one time zone, for who has no contacts at hand. */
export const SIMULATED = `first_name,phone_number
Ada,(212) 555-0111
Ben,(718) 555-0112
Cleo,(646) 555-0114
`;
