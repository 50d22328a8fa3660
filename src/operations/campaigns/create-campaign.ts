import { createHash } from "node:crypto";
import type { Static } from "typebox";
import { Type } from "typebox";
import { createCampaign as contract, MAX_LEADS } from "#contract/campaigns/campaigns.ts";
import { validator } from "#contract/values/validate.ts";
import { refuseForeign } from "#domain/accounts/organization.ts";
import { type Lead, uniqueByPhone } from "#domain/contacts/lead.ts";
import { type LeadBody, missingLeads, readLeadBody } from "#domain/contacts/lead-body.ts";
import { senderRate } from "#domain/numbers/rate-limits.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { dripsOf, templatesOf } from "#domain/sending/templates.ts";
import { canonicalJson } from "#domain/values/canonical.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import { base32, NO_ID, requireId, type Uuid } from "#domain/values/id.ts";
import { campaignTimes, checkWindow } from "#domain/values/instant.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as users from "#store/accounts/users.ts";
import * as agents from "#store/agents/agents.ts";
import { type Campaign, find, grow, insert } from "#store/campaigns/campaigns.ts";
import * as campaignLeads from "#store/campaigns/leads.ts";
import * as leadConsents from "#store/compliance/lead-consents.ts";
import * as audience from "#store/contacts/audience.ts";
import { isUniqueViolation } from "#store/database/db.ts";
import * as lanes from "#store/sending/lanes.ts";
import * as preflights from "#store/sending/preflight.ts";

/** The contacts are read by readLeadBody, which can handle 100,000 of them; the rest by the contract's own schema. */
const head = Type.Object({
  ...contract.body!.properties,
  contacts: Type.Optional(Type.Array(Type.Unknown(), { minItems: 1 })),
});
const problemsOf = validator(head, "body");
type Body = Static<typeof head>;

/**
 * Creates an SMS campaign with its leads, all or nothing, and enqueues its lane's job. The same campaign_id with the same body answers as the first
 * time and does nothing; with another body it is a 409. Takes the request's bytes: with 100,000 leads it runs in a thread of its own.
 */
export async function createCampaign(
  ctx: Context,
  caller: Caller,
  _params: Record<string, string>,
  bytes: Uint8Array,
): Promise<Record<string, unknown>> {
  const given = read(caller, bytes);
  const { body } = given;
  const contacts = readContacts(given, await readStored(ctx, caller, body));
  const bodyHash = createHash("sha256").update(canonicalJson(body)).digest();
  const campaignId = body.campaign_id ?? `sms_campaign_${base32(caller.newId())}`;

  const known = body.campaign_id === undefined ? undefined : await find(ctx.db, caller.tenantId, campaignId);
  const repeated = () => answer(campaignId, body, contacts, contacts.leads.length);
  if (known) return repeat(known, bodyHash, repeated());
  const plan = await checkPlan(ctx, caller, body);
  try {
    const leads = await store(ctx, caller, { ...plan, campaignId, bodyHash, body, contacts });
    ctx.log.info({ campaignId, leads, unusable: contacts.unusable.length }, "campaign created");
    return answer(campaignId, body, contacts, leads);
  } catch (error) {
    // Of two requests at once with the same id, the one that lost answers like a repeat.
    if (!isUniqueViolation(error)) throw error;
    const winner = await find(ctx.db, caller.tenantId, campaignId);
    if (!winner) throw failure("conflict", "campaign_id is that of another campaign of this tenant");
    return repeat(winner, bodyHash, repeated());
  }
}

/**
 * Reports what creating a campaign with this body would do: the same checks, the same errors, and then nothing is stored. Runs where a create runs.
 */
export async function preflightNewCampaign(
  ctx: Context,
  caller: Caller,
  _params: Record<string, string>,
  bytes: Uint8Array,
): Promise<Record<string, unknown>> {
  const { tenantId } = caller;
  const given = read(caller, bytes);
  const { body } = given;
  const { leads, unusable, total } = readContacts(given, await readStored(ctx, caller, body));
  const { organizationId, agent, carrier, sender: number, beginAt, endAt, now } = await checkPlan(ctx, caller, body);
  const { config } = agent;
  const templates = templatesOf(agent.id, agent.version, config);
  const settings = { calling_window: body.calling_window };
  const campaign = {
    channel: "sms" as const,
    organizationId,
    begin_at: beginAt,
    end_at: endAt,
    settings,
    config,
    templates,
  };
  const sender = { carrier, number, price: ctx.pricePerSegment };
  const begun = await preflights.begin(ctx.db, tenantId, campaign, sender, now);
  begun.check.skip("invalid_number", unusable.length);
  begun.check.skip("duplicate", total - unusable.length - leads.length);
  const rules = { ...ctx, checksReassigned: ctx.reassignedNumbers !== undefined };
  for (const piece of piecesOf(leads, preflights.PREFLIGHT_BATCH)) {
    const recipients = await preflights.withKnownFields(ctx.db, tenantId, organizationId, piece);
    await preflights.assess(ctx.db, tenantId, campaign, recipients, rules, begun);
  }
  const { callingWindows } = ctx;
  return { preflight: preflights.conclude(begun, campaign, { ...sender, campaignId: NO_ID, callingWindows }) };
}

const read = (caller: Caller, bytes: Uint8Array): LeadBody<Body> =>
  readLeadBody(bytes, {
    field: "contacts",
    most: MAX_LEADS,
    tenantId: caller.tenantId,
    problemsOf: (value) => [...problemsOf(value), ...missingLeads(value, "contacts")],
  });

function readStored(ctx: Context, caller: Caller, body: Body): Promise<audience.StoredLead[]> {
  const organizationId = requireId("organization", body.organization_id, "Organization");
  return audience.read(ctx.db, caller.tenantId, body, { organizationId, most: MAX_LEADS });
}

type Contacts = {
  /** Each phone once. */
  leads: Lead[];
  /** Their sources: stored contacts, and those in the body, which bring their consents along. */
  stored: audience.StoredLead[];
  brought: Lead[];
  unusable: { index: number; error: string }[];
  total: number;
};

/** The body's fields of a contact take precedence over the stored ones. */
function readContacts({ body, leads, unusable }: LeadBody<Body>, stored: audience.StoredLead[]): Contacts {
  // A campaign that texted its own number would answer itself for ever.
  const sender = normalizePhone(body.svc_sms_number);
  const all = [...stored, ...leads];
  const own = "phone" in sender ? all.filter(({ phone }) => phone === sender.phone) : [];
  return {
    stored,
    brought: uniqueByPhone(leads),
    leads: uniqueByPhone(own.length > 0 ? all.filter((lead) => !own.includes(lead)) : all),
    unusable: [...unusable, ...own.map(({ index }) => ({ index, error: "is the sender's own number" }))],
    total: stored.length + (body.contacts ?? []).length,
  };
}

/** Checks that everything that the campaign names exists, belongs to the tenant and fits together. */
async function checkPlan(ctx: Context, caller: Caller, body: Body) {
  const { tenantId } = caller;
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const organizationId = requireId("organization", body.organization_id, "Organization");
  const userId = requireId("user", body.user_id, "User");
  const [organization, user, agent] = await Promise.all([
    organizations.find(ctx.db, tenantId, organizationId),
    users.find(ctx.db, tenantId, userId),
    agents.find(ctx.db, tenantId, requireId("agent", body.sms_agent_id, "Agent")),
  ]);
  if (!organization) throw notFound("Organization");
  if (!user) throw notFound("User");
  if (!agent) throw notFound("Agent");
  refuseForeign(organizationId, { user_id: user, sms_agent_id: agent });
  if (agent.type !== "sms") throw failure("sms_not_enabled", "sms_agent_id names an agent that is not an SMS agent");
  if (!agent.config.starting_message) throw invalidField("sms_agent_id", "names an agent without a starting_message");

  const sender = normalizePhone(body.svc_sms_number);
  if ("problem" in sender) throw failure("sms_not_enabled", `svc_sms_number ${sender.problem}`);
  const carrier = ctx.carriers.forMode(caller.mode);
  if (!carrier || !(await carrier.mayUseSender(tenantId, sender.phone))) {
    throw failure("sms_not_enabled", "svc_sms_number is not a number that this tenant may send from");
  }
  const voice = await checkVoice(ctx, caller, body, organizationId);
  checkWindow(body.calling_window);
  return { organizationId, userId, agent, sender: sender.phone, carrier, voice, now, ...campaignTimes(body, now) };
}

async function checkVoice(ctx: Context, caller: Caller, body: Body, organizationId: Uuid) {
  if (body.enable_sms_to_voice !== true) return {};
  if (body.voice_agent_id === undefined) throw invalidField("voice_agent_id", "is required with enable_sms_to_voice");
  if (body.outbound_number === undefined) throw invalidField("outbound_number", "is required with enable_sms_to_voice");
  const outbound = normalizePhone(body.outbound_number);
  if ("problem" in outbound) throw invalidField("outbound_number", outbound.problem);
  const voiceAgentId = requireId("voiceAgent", body.voice_agent_id, "Voice agent");
  const voiceAgent = await agents.findByVoiceId(ctx.db, caller.tenantId, voiceAgentId);
  if (!voiceAgent) throw notFound("Voice agent");
  refuseForeign(organizationId, { voice_agent_id: voiceAgent });
  // Checked here, because it is not checked again when a conversation is transferred.
  const line = ctx.lines.forMode(caller.mode);
  if (!line) throw failure("voice_not_enabled", "No carrier of voice is configured for live keys");
  if (!(await line.mayCallFrom(caller.tenantId, outbound.phone))) {
    throw failure("voice_not_enabled", "outbound_number is not a number that this tenant may call from");
  }
  return { enable_sms_to_voice: true, voice_agent_id: body.voice_agent_id, outbound_number: outbound.phone };
}

type Plan = Awaited<ReturnType<typeof checkPlan>> & {
  campaignId: string;
  bodyHash: Buffer;
  body: Body;
  contacts: Contacts;
};

/** How many leads it has: all but those that were erased since they were read. */
async function store(ctx: Context, caller: Caller, plan: Plan): Promise<number> {
  const { tenantId } = caller;
  const { agent, carrier, sender, now, beginAt } = plan;
  const id = caller.newId();
  // In a transaction of its own: it locks the lane, and a lane must not be locked while 100,000 leads are written.
  const perSecond = senderRate(sender, carrier.capabilities);
  const laneId = await lanes.ensure(ctx.db, tenantId, {
    id: ctx.newId(),
    carrier: carrier.name,
    sender,
    perSecond,
    now: ctx.now(),
  });
  const dueAt = beginAt ?? now;
  const { stored, brought } = plan.contacts;
  return ctx.db.transaction(async (tx) => {
    const present = await audience.lockPresent(tx, tenantId, stored);
    const leads = uniqueByPhone([...present, ...brought]).filter(({ phone }) => phone !== sender);
    // The agent may have been deleted, or given a new version, since it was read: the version that is locked now counts.
    const held = await agents.hold(tx, tenantId, agent.id);
    if (!held) throw notFound("Agent");
    await insert(tx, tenantId, {
      id,
      campaign_id: plan.campaignId,
      name: plan.body.campaign_name,
      organization_id: plan.organizationId,
      user_id: plan.userId,
      agent_id: agent.id,
      agent_version: agent.version,
      carrier: carrier.name,
      lane_id: laneId,
      sender,
      settings: { ...plan.voice, objective: plan.body.objective, calling_window: plan.body.calling_window },
      begin_at: beginAt,
      end_at: plan.endAt,
      body_hash: plan.bodyHash,
      created_at: now,
    });
    const target = { tenantId, campaignId: id, organizationId: plan.organizationId, laneId };
    const steps = campaignLeads.plannedSteps(dripsOf(agent.config), dueAt);
    await leadConsents.bring(tx, tenantId, brought, { now, newId: ctx.newId });
    const added = await campaignLeads.insertAll(tx, target, leads, steps, { now, newId: ctx.newId });
    await grow(tx, tenantId, id, added, now);
    await lanes.wake(tx, tenantId, [laneId], dueAt);
    return leads.length;
  });
}

/** The same body gets the same answer, whatever leads have been added since. */
function repeat(known: Campaign, bodyHash: Buffer, first: Record<string, unknown>): Record<string, unknown> {
  if (!known.body_hash.equals(bodyHash)) throw failure("conflict", "campaign_id exists with another body");
  return first;
}

function answer(campaignId: string, body: Body, { total }: Contacts, leads: number): Record<string, unknown> {
  return {
    campaign_id: campaignId,
    status: "processing",
    details: {
      total_contacts: leads,
      voice_transfer_enabled: body.enable_sms_to_voice === true,
      contacts_skipped: total - leads,
    },
  };
}
