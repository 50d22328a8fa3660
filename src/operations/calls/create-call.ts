import { refuseArchived, refuseForeign } from "#domain/accounts/organization.ts";
import type { Agent } from "#domain/agents/agent.ts";
import { NEVER_OPEN } from "#domain/compliance/calling-window.ts";
import { mayContact } from "#domain/compliance/gate.ts";
import { type Lead, readLeads } from "#domain/contacts/lead.ts";
import { requirePhone } from "#domain/numbers/phone-number.ts";
import { failedField, invalidField, notFound, refuseInvalid } from "#domain/values/errors.ts";
import { NO_ID, publicId, type Uuid } from "#domain/values/id.ts";
import { keepCarrier, NO_ACCOUNT } from "#operations/carriers.ts";
import { type Caller, type Context, lineFrom } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as users from "#store/accounts/users.ts";
import * as agents from "#store/agents/agents.ts";
import * as callClock from "#store/calls/clock.ts";
import * as dialLanes from "#store/calls/dial-lanes.ts";
import * as dials from "#store/calls/dials.ts";
import * as leadConsents from "#store/compliance/lead-consents.ts";
import * as contacts from "#store/contacts/contacts.ts";
import * as preflights from "#store/sending/preflight.ts";
import * as stops from "#store/sending/stops.ts";

export type NewCall = {
  /** Either id of a voice agent. */
  agent: { field: string; id: string };
  from: string;
  to: string;
  organizationId: Uuid | undefined;
  userId: Uuid | undefined;
  contact: Record<string, unknown>;
  objective: string | undefined;
};

/**
 * Plans one call, which is dialled as soon as the gate and the calling hours allow it; returns the call's id, which is final from now on, and by which
 * rule it would not be dialled as things stand. 400 where no hour of any day is open. The contact is stored as any other: a number that the organization
 * has gets the given fields. Repeated under its Idempotency-Key it is one call.
 */
export async function createCall(
  ctx: Context,
  caller: Caller,
  wanted: NewCall,
): Promise<{ id: Uuid; warnings: string[] }> {
  const { tenantId } = caller;
  const [from, to] = [requirePhone("from_number", wanted.from), requirePhone("to_number", wanted.to)];
  if (from === to) throw invalidField("to_number", "must be another number than from_number");
  const { leads, problems } = readLeads([{ ...wanted.contact, phone_number: to }], "contact");
  refuseInvalid(problems.map((problem) => ({ ...problem, field: problem.field.replace("contact[0]", "contact") })));
  const lead = leads[0]!;
  const { agent, organizationId, userId } = await checkedOwner(ctx, tenantId, wanted);
  const line = await lineFrom(ctx, caller, from, "from_number");
  const warnings = await foresee(ctx, tenantId, lead, { organizationId, config: agent.config });
  const [dialId, callId, contactId] = [caller.newId(), caller.newId(), caller.newId()];
  ctx.audit.note({ object: { kind: "call", id: publicId("call", callId) }, organizationId });
  const realNow = ctx.now();
  // In the list of calls it stands by this, among calls by their starts. By itself: the clock stays locked until a transaction ends.
  const [createdAt] = await callClock.take(ctx.db, tenantId, await tenants.tenantNow(ctx.db, tenantId, realNow), 1);
  await ctx.db.transaction(async (tx) => {
    const held = await agents.hold(tx, tenantId, agent.id);
    if (!held) throw notFound("Voice agent");
    await stops.refuse(tx, tenantId);
    // The account may have been removed since it was found.
    if (!(await keepCarrier(tx, tenantId, line.name)))
      throw failedField("voice_not_enabled", "from_number", NO_ACCOUNT);
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    await leadConsents.bring(tx, tenantId, [lead], { now, newId: ctx.newId });
    const [contact] = await contacts.upsertMany(tx, tenantId, organizationId, [{ ...lead, id: contactId }], realNow);
    const laneId = await dialLanes.ensureSingle(tx, tenantId, {
      id: ctx.newId(),
      carrier: line.name,
      ...dialLanes.SINGLE,
      now: realNow,
    });
    const dial: dials.PlannedDial = {
      id: dialId,
      campaignId: NO_ID,
      threadId: null,
      laneId,
      phone: to,
      contactId: contact!.id,
      agentId: held.id,
      agentVersion: held.version,
      purpose: "single",
      dueAt: now,
      createdAt,
      number: from,
      callId,
      userId,
      objective: wanted.objective,
    };
    await dials.plan(tx, tenantId, [dial], { now, realNow, changeId: ctx.newId() });
  });
  return { id: callId, warnings };
}

/** What the gate says as things stand: a 400 where that can never change, a warning where it forbids the call. */
async function foresee(
  ctx: Context,
  tenantId: Uuid,
  lead: Lead,
  { organizationId, config }: { organizationId: Uuid; config: Agent },
): Promise<string[]> {
  const at = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const recipients = await preflights.withKnownFields(ctx.db, tenantId, organizationId, [lead]);
  const call = { channel: "voice" as const, organizationId, begin_at: null, end_at: null, settings: {}, config };
  const rules = { ...ctx, checksReassigned: ctx.reassignedNumbers !== undefined };
  const [asked] = await preflights.subjects(ctx.db, tenantId, call, recipients, rules, { at });
  const decision = mayContact(asked!.subject, at, ctx.callingWindows);
  if (decision.outcome !== "blocked") return [];
  if (decision.rule === NEVER_OPEN)
    throw invalidField(
      "to_number",
      "can be called at no hour of any day, since it is not known where it is, or no hour is open in all places where it may be (never_open): give contact.time_zone",
    );
  return [`to_number will not be called (${decision.rule}): ${decision.reason}`];
}

async function checkedOwner(ctx: Context, tenantId: Uuid, wanted: NewCall) {
  const { field, id } = wanted.agent;
  const agent = await agents.findByAnyId(ctx.db, tenantId, id);
  if (!agent) throw notFound("Voice agent");
  if (agent.type !== "voice") throw invalidField(field, "names an agent that is not a voice agent");
  const organizationId = wanted.organizationId ?? agent.organization_id;
  const userId = wanted.userId ?? agent.user_id;
  const [organization, user] = await Promise.all([
    organizations.find(ctx.db, tenantId, organizationId),
    users.find(ctx.db, tenantId, userId),
  ]);
  if (!organization) throw notFound("Organization");
  if (!user) throw notFound("User");
  refuseForeign(organizationId, { user_id: user, [field]: agent });
  refuseArchived(organization);
  return { agent, organizationId, userId };
}
