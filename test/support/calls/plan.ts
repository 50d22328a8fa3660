import { randomUUID } from "node:crypto";
import { type AgentInput, voiceAgent } from "#domain/agents/agent.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallDialog, DialogPart } from "#ports/call-dialog.ts";

/** A Monday noon in New York. */
export const NOON = new Date("2026-03-02T17:00:00.000Z");

const AGENT = {
  agent_name: "Ava",
  prompt: "Find out whether the contact wants to sell their home.",
  starting_message: "Hi, this is Ava from Acme. Do you have a minute?",
  voice_id: "slt",
  voicemail_message: "Hi, this is Ava from Acme. Please call us back.",
};

/** The plan of a campaign's first call to a phone, made at noon by a clock that is not ahead. */
export function aPlan({ agent, ...more }: Partial<Omit<CallPlan, "agent">> & { agent?: AgentInput } = {}): CallPlan {
  return {
    callId: randomUUID(),
    tenantId: "01900000-0000-7000-8000-000000000001",
    ref: randomUUID(),
    mode: "test",
    direction: "outbound",
    purpose: "call",
    n: 1,
    number: "+12125550100",
    contactPhone: "+12124540001",
    campaign: "spring",
    organization: "Acme",
    contact: { first_name: "Ann" },
    contactZone: "America/New_York",
    history: [],
    known: {},
    now: NOON.toISOString(),
    clockOffsetMs: 0,
    ...more,
    agent: voiceAgent({ ...AGENT, ...agent }),
  };
}

/** A short dialog: greets, says "I see." to everything, obeys "take me off your list", and says goodbye to a goodbye. */
export function aDialog({ agent }: CallPlan): CallDialog {
  return {
    greeting: () => agent.starting_message ?? `This is ${agent.agent_name}.`,
    voicemailMessage: () => agent.voicemail_message,
    async *turn(said): AsyncGenerator<DialogPart> {
      if (/off your list/i.test(said)) {
        yield { kind: "opt_out", quote: said };
        yield { kind: "sentence", text: "You won't hear from us again." };
        yield { kind: "goodbye" };
      } else {
        yield { kind: "sentence", text: "I see." };
        if (/\bbye\b/i.test(said)) yield { kind: "goodbye" };
      }
    },
    async *prompted(why): AsyncGenerator<DialogPart> {
      yield { kind: "sentence", text: why.kind === "injected" ? why.text : "Are you still there?" };
    },
    played() {},
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}
