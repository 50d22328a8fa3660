import type { RehearsedAction, RehearsedExtraction, RehearsedTurn } from "#conversation/playground/rehearsal.ts";
import { rehearse } from "#conversation/playground/rehearse.ts";
import { judgeCall, planOf } from "#conversation/playground/rehearse-call.ts";
import type { Agent } from "#domain/agents/agent.ts";
import { type AgentPatch, checkedAgent, type NewAgent, patchedAgent } from "#domain/agents/record.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { ContactRequests } from "#domain/calls/report.ts";
import { type LeadFields, readFields } from "#domain/contacts/lead.ts";
import { renderTemplate, templateVariables } from "#domain/messaging/template.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { contactZone, placeOf } from "#domain/phones/place.ts";
import { type FieldProblem, invalidField, notFound, refuseInvalid } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { WebCallResult } from "#ports/web-calls.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as agents from "#store/agents/agents.ts";

/** An agent with a draft of changes, or a whole draft of an organization; and what is known of the contact. */
export type Tried = {
  agentId: Uuid | undefined;
  /** Of a draft without an agent. */
  organizationId: Uuid | undefined;
  draft: AgentPatch | undefined;
  contact: Record<string, unknown>;
};

export type PlayInput = Tried & {
  objective: string | undefined;
  canCall: boolean;
  history: readonly { role: "contact" | "agent" | "human"; text: string }[];
  text: string | undefined;
  extract: boolean;
};

export type Played = { turn: RehearsedTurn; agentType: Agent["agent_type"]; model: string };

/** A number that is not assigned, for a contact that is given none. */
const NOBODY_PHONE = "+12125550100";

/**
 * One turn of a made-up conversation. Reads the agent; sends and stores nothing. 400 for wrong fields, 404 for an unknown
 * agent or organization.
 */
export async function playTurn(ctx: Context, caller: Caller, input: PlayInput, signal: AbortSignal): Promise<Played> {
  const { tenantId } = caller;
  if (input.text === undefined && input.history.length > 0) {
    throw invalidField("text", "is required once the conversation has begun");
  }
  const contact = contactOf(input.contact);
  const { agent, organization } = await agentOf(ctx, tenantId, input);
  const model = ctx.models.forMode(caller.mode);
  const turn = await rehearse(
    model,
    {
      agent,
      organization,
      ...(input.objective ? { objective: input.objective } : {}),
      contact: contact.fields,
      contactPhone: contact.phone,
      contactZone: contactZone(placeOf(contact, ctx.numberPlan)),
      now: await tenants.tenantNow(ctx.db, tenantId, ctx.now()),
      history: input.history,
      text: input.text,
      canCall: input.canCall,
      extract: input.extract,
    },
    signal,
  );
  return {
    turn,
    agentType: agent.agent_type,
    model: model.capabilities.choosable ? (agent.model ?? model.name) : model.name,
  };
}

export type PreviewedText = {
  kind: "starting_message" | "drip" | "voicemail_message";
  /** Of a drip. */
  day: number | null;
  /** Null where a field is missing: the contact would not get this text. */
  text: string | null;
  missing: string | null;
};

export type Preview = { agentType: Agent["agent_type"]; texts: PreviewedText[]; variables: string[] };

/** An agent's own texts for a contact, in the order in which they go out. Fails as playTurn does. */
export async function previewAgent(ctx: Context, caller: Caller, input: Tried): Promise<Preview> {
  const { phone, fields } = contactOf(input.contact);
  const { agent } = await agentOf(ctx, caller.tenantId, input);
  const templates: { kind: PreviewedText["kind"]; day: number | null; template: string | undefined }[] = [
    { kind: "starting_message", day: null, template: agent.starting_message },
    ...(agent.agent_type === "sms"
      ? agent.drip_schedule.map(({ day, message }) => ({ kind: "drip" as const, day, template: message }))
      : [{ kind: "voicemail_message" as const, day: null, template: agent.voicemail_message }]),
  ];
  const written = templates.flatMap(({ template, ...rest }) => (template === undefined ? [] : [{ ...rest, template }]));
  return {
    agentType: agent.agent_type,
    texts: written.map(({ kind, day, template }) => {
      const rendered = renderTemplate(template, { ...fields, phone_number: phone });
      if (rendered.problem === undefined) return { kind, day, text: rendered.text, missing: null };
      return { kind, day, text: null, missing: rendered.problem === "missing_variable" ? rendered.name : null };
    }),
    variables: [...new Set(written.flatMap(({ template }) => templateVariables(template)))],
  };
}

/**
 * The plan of a spoken test call with an agent; nobody is called, and nothing is recorded. 400 for wrong fields and for an agent that is no voice
 * agent, 404 for an unknown agent or organization.
 */
export async function planWebCall(
  ctx: Context,
  caller: Caller,
  { objective, ...tried }: Tried & { objective: string | undefined },
): Promise<CallPlan> {
  const { tenantId } = caller;
  const contact = contactOf(tried.contact);
  const { agent, organization } = await agentOf(ctx, tenantId, tried);
  if (agent.agent_type !== "voice")
    throw invalidField(tried.agentId === undefined ? "draft.agent_type" : "agent_id", "must be of a voice agent");
  const callId = ctx.newId();
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const plan = planOf({
    // A person speaks into the page: it is no mailbox.
    agent: { ...agent, record: false, detect_voicemail: false },
    organization,
    ...(objective ? { objective } : {}),
    contact: contact.fields,
    contactPhone: contact.phone,
    contactZone: contactZone(placeOf(contact, ctx.numberPlan)),
    now,
  });
  const clockOffsetMs = now.getTime() - ctx.now().getTime();
  return { ...plan, callId, tenantId, ref: callId, mode: caller.mode, clockOffsetMs };
}

/** The analysis of the call, made as for a real one; null where nothing was said, or where the model failed or did not answer before the signal. */
export async function judgeWebCall(
  ctx: Context,
  caller: Caller,
  plan: CallPlan,
  result: WebCallResult,
  signal: AbortSignal,
): Promise<RehearsedExtraction | null> {
  const endedAt = new Date(new Date(plan.now).getTime() + result.durationMs).toISOString();
  const report = { ...result, status: "ended" as const, dialedAt: plan.now, answeredAt: plan.now, endedAt };
  try {
    return (await judgeCall(ctx.models.forMode(caller.mode), plan, report, signal)).extraction;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** What the contact requested: in a real call it would be done. */
export const actionsOf = ({ optOut, callback, transferredTo }: ContactRequests): RehearsedAction[] => [
  ...(optOut ? [{ type: "do_not_call", quote: optOut.quote }] : []),
  ...(callback ? [{ type: "schedule_callback", at: callback.at, quote: callback.quote }] : []),
  ...(transferredTo ? [{ type: "transfer_call", to: transferredTo }] : []),
];

async function agentOf(
  ctx: Context,
  tenantId: Uuid,
  { agentId, organizationId, draft }: Tried,
): Promise<{ agent: Agent; organization: string }> {
  if (agentId !== undefined) {
    const found = await agents.find(ctx.db, tenantId, agentId);
    if (!found) throw notFound("Agent");
    const agent = draft ? patchedAgent(found, draft, "draft.") : found.config;
    return { agent, organization: await nameOf(ctx, tenantId, found.organization_id) };
  }
  if (draft === undefined) throw invalidField("agent_id", "is required, or a draft");
  if (organizationId === undefined)
    throw invalidField("organization_id", "is required for a draft without an agent_id");
  const given = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== null));
  const missing = ["agent_type", "agent_name", "prompt"].filter((name) => given[name] === undefined);
  refuseInvalid(missing.map((name) => ({ field: `draft.${name}`, message: "is required" })));
  const agent = checkedAgent(given as NewAgent, "draft.");
  return { agent, organization: await nameOf(ctx, tenantId, organizationId) };
}

async function nameOf(ctx: Context, tenantId: Uuid, organizationId: Uuid): Promise<string> {
  const organization = await organizations.find(ctx.db, tenantId, organizationId);
  if (!organization) throw notFound("Organization");
  return organization.name;
}

function contactOf(given: Record<string, unknown>): { phone: string; fields: LeadFields } {
  const problems: FieldProblem[] = [];
  const fields = readFields(given, "contact.", problems);
  const normal = normalizePhone(String(given.phone_number ?? NOBODY_PHONE));
  if ("problem" in normal) problems.push({ field: "contact.phone_number", message: normal.problem });
  refuseInvalid(problems);
  return { phone: (normal as { phone: string }).phone, fields };
}
