import { type Static, Type } from "typebox";
import { createCampaign as contract } from "#contract/campaigns/campaigns.ts";
import { renamer } from "#contract/values/names.ts";
import { warner } from "#contract/values/unknown-names.ts";
import { validator } from "#contract/values/validate.ts";
import { refuseForeign } from "#domain/accounts/organization.ts";
import { campaignMediaProblem } from "#domain/messaging/media.ts";
import { senderRate } from "#domain/numbers/rate-limits.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { dripsOf, templatesOf } from "#domain/sending/templates.ts";
import { failedField, invalidField, notFound } from "#domain/values/errors.ts";
import { NO_ID, parseId, requireId, type Uuid } from "#domain/values/id.ts";
import { campaignTimes, checkWindow } from "#domain/values/instant.ts";
import { rethrowNamed } from "#domain/values/named-fault.ts";
import { checkMedia, keepCarrier, NO_ACCOUNT, senderCarrier } from "#operations/carriers.ts";
import { type BulkOperation, type Caller, type Context, lineFrom } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as agents from "#store/agents/agents.ts";
import { type Campaign, find, grow, insert } from "#store/campaigns/campaigns.ts";
import * as campaignLeads from "#store/campaigns/leads.ts";
import * as leftOutLeads from "#store/campaigns/left-out.ts";
import * as leadConsents from "#store/compliance/lead-consents.ts";
import * as lanes from "#store/sending/lanes.ts";
import * as preflights from "#store/sending/preflight.ts";
import { campaignWarnings } from "./campaign-warnings.ts";
import * as steps from "./create-steps.ts";

/** The contacts are read by readLeadBody, which can handle 100,000 of them; the rest by the contract's own schema. */
const head = Type.Object({
  ...contract.body!.properties,
  contacts: Type.Optional(Type.Array(Type.Unknown(), { minItems: 1 })),
});
const problemsOf = validator(head, "body");
const renamed = renamer(contract, head);
type Body = Static<typeof head>;
type Asked = steps.Given<Body> & { contacts: steps.Contacts };
type Plan = Awaited<ReturnType<typeof plan>>;

const TEXTS: steps.Channel<Asked, Plan, Campaign> = {
  kind: "sms",
  read,
  warningsOf: warner(head, "field"),
  find,
  plan,
  async store(ctx, caller, planned, named) {
    const leads = await store(ctx, caller, planned, named);
    const { usable, total } = planned.contacts;
    ctx.log.info({ campaignId: named.campaignId, leads, unusable: total - usable }, "campaign created");
    return answer(named.campaignId, planned.asked, leads);
  },
  cautions,
  repeated: (asked, { campaign_id }) => answer(campaign_id, asked, asked.contacts.leads.length),
  preflight,
};

export const createCampaign: BulkOperation = (ctx, caller, _, bytes) => steps.create(TEXTS, ctx, caller, bytes);
export const preflightNewCampaign: BulkOperation = (ctx, caller, _, bytes) =>
  steps.preflight(TEXTS, ctx, caller, bytes);

async function read(ctx: Context, caller: Caller, bytes: Uint8Array): Promise<Asked> {
  const given = steps.readBody<Body>(caller, bytes, { field: "contacts", renamed, problemsOf, own: numbersOf });
  const contacts = await readContacts(ctx, caller, given).catch((error) => rethrowNamed(error, given.body));
  return { ...given, contacts };
}

async function readContacts(ctx: Context, { tenantId }: Caller, given: steps.Given<Body>): Promise<steps.Contacts> {
  const organizationId = requireId("organization", given.body.organization_id, "Organization");
  return steps.readContacts(ctx, tenantId, given, { organizationId, numbers: numbersOf(given.body) });
}

/** None where the sender is no number, which `plan` refuses. */
function numbersOf(body: Body): string[] {
  const sender = normalizePhone(body.svc_sms_number);
  return "phone" in sender ? [sender.phone] : [];
}

async function plan(ctx: Context, caller: Caller, asked: Asked) {
  const { tenantId } = caller;
  const { body, contacts } = asked;
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const organizationId = requireId("organization", body.organization_id, "Organization");
  const userId = requireId("user", body.user_id, "User");
  const agentId = requireId("agent", body.sms_agent_id, "Agent");
  const [{ user }, found] = await Promise.all([
    steps.findOwners(ctx, tenantId, organizationId, userId),
    agents.find(ctx.db, tenantId, agentId),
  ]);
  if (!found) throw notFound("Agent");
  refuseForeign(organizationId, { user_id: user, sms_agent_id: found });
  const agent = textAgent(found);

  const sender = normalizePhone(body.svc_sms_number);
  if ("problem" in sender) throw failedField("sms_not_enabled", "svc_sms_number", sender.problem);
  const by = await senderCarrier(ctx.carriers, ctx.db, caller, sender.phone);
  if ("problem" in by) throw failedField("sms_not_enabled", "svc_sms_number", by.problem);
  if (by.organizationId !== null && by.organizationId !== organizationId) {
    throw failedField("sms_not_enabled", "svc_sms_number", "is another organization's number");
  }
  const { carrier } = by;
  const leaves = { carrier: carrier.name, sender: sender.phone };
  await checkMedia(ctx.db, tenantId, leaves, body.media_urls, campaignMediaProblem);
  const voice = await checkVoice(ctx, caller, body, organizationId);
  checkWindow(body.calling_window);
  const times = campaignTimes(body, now);
  steps.requireSomebody(contacts, asked, "contacts");
  return { asked, body, contacts, organizationId, userId, agent, sender: sender.phone, carrier, voice, now, ...times };
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
  await lineFrom(ctx, caller, outbound.phone, "outbound_number");
  return { enable_sms_to_voice: true, voice_agent_id: body.voice_agent_id, outbound_number: outbound.phone };
}

/** An agent that can begin a conversation by text. */
function textAgent(agent: agents.StoredAgent) {
  if (agent.type !== "sms")
    throw failedField("sms_not_enabled", "sms_agent_id", "names an agent that is not an SMS agent");
  if (!agent.config.starting_message) throw invalidField("sms_agent_id", "names an agent without a starting_message");
  return agent;
}

/** How many leads it has: all but those that were erased since they were read. */
async function store(ctx: Context, caller: Caller, planned: Plan, named: steps.Named): Promise<number> {
  const { tenantId } = caller;
  const { body, agent, carrier, sender, now, beginAt, organizationId } = planned;
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
  const { stored, given: brought } = planned.contacts;
  return ctx.db.transaction(async (tx) => {
    // The account may have been removed since it was found.
    if (!(await keepCarrier(tx, tenantId, carrier.name))) {
      throw failedField("sms_not_enabled", "svc_sms_number", NO_ACCOUNT);
    }
    const sources = { organizationId, stored, brought, numbers: [sender] };
    const { leads, held } = await steps.hold(tx, tenantId, sources, { id: agent.id, noun: "Agent" });
    await insert(tx, tenantId, {
      id,
      campaign_id: named.campaignId,
      name: body.campaign_name,
      organization_id: organizationId,
      user_id: planned.userId,
      agent_id: agent.id,
      agent_version: held.version,
      carrier: carrier.name,
      lane_id: laneId,
      sender,
      settings: {
        ...planned.voice,
        objective: body.objective,
        media_urls: body.media_urls?.length ? body.media_urls : undefined,
        calling_window: body.calling_window,
      },
      begin_at: beginAt,
      end_at: planned.endAt,
      body_hash: named.bodyHash,
      created_at: now,
    });
    const target = { tenantId, campaignId: id, organizationId, laneId };
    const messages = campaignLeads.plannedSteps(dripsOf(textAgent(held).config), dueAt);
    await leadConsents.bring(tx, tenantId, brought, { now, newId: ctx.newId });
    const added = await campaignLeads.insertAll(tx, target, leads, messages, { now, newId: ctx.newId });
    await leftOutLeads.insert(tx, tenantId, id, planned.asked.leftOut, ctx.newId);
    await lanes.wake(tx, tenantId, [laneId], dueAt);
    await grow(tx, tenantId, id, added, now);
    ctx.audit.note({
      object: { kind: "campaign", id: named.campaignId },
      organizationId,
      before: null,
      after: {
        campaign_name: body.campaign_name,
        agent_id: agent.id,
        svc_sms_number: sender,
        campaign_begin_time: beginAt,
        campaign_end_time: planned.endAt,
      },
      counts: { leads: leads.length, left_out: planned.asked.leftOut.length },
    });
    return leads.length;
  });
}

async function cautions(ctx: Context, caller: Caller, asked: Asked, of: Plan | Campaign): Promise<string[]> {
  const { tenantId } = caller;
  const { body } = asked;
  const isPlan = "agent" in of;
  const voiceId = body.enable_sms_to_voice === true ? parseId("voiceAgent", body.voice_agent_id ?? "") : undefined;
  const outbound = body.outbound_number === undefined ? undefined : normalizePhone(body.outbound_number);
  return campaignWarnings(ctx, caller, {
    organizationId: isPlan ? of.organizationId : of.organization_id,
    config: isPlan ? of.agent.config : await agents.configOf(ctx.db, tenantId, of.agent_id, of.agent_version),
    leads: asked.contacts.leads,
    given: asked.taken,
    field: "contacts",
    senders: [
      { field: "svc_sms_number", phone: of.sender, channel: "sms" },
      ...(voiceId && outbound && "phone" in outbound
        ? [{ field: "outbound_number", phone: outbound.phone, channel: "voice" as const }]
        : []),
    ],
    voice: voiceId === undefined ? undefined : await agents.findByVoiceId(ctx.db, tenantId, voiceId),
  });
}

function answer(campaignId: string, { body, contacts, leftOut }: Asked, leads: number): steps.Answer {
  return {
    campaign_id: campaignId,
    status: "processing",
    details: {
      total_contacts: leads,
      voice_transfer_enabled: body.enable_sms_to_voice === true,
      contacts_skipped: contacts.total - leads,
    },
    left_out: leftOut,
  };
}

async function preflight(ctx: Context, { tenantId }: Caller, planned: Plan): Promise<steps.Answer> {
  const { body, contacts, organizationId, agent, carrier, sender: number, beginAt, endAt, now } = planned;
  const { config } = agent;
  const campaign = {
    channel: "sms" as const,
    organizationId,
    begin_at: beginAt,
    end_at: endAt,
    settings: { calling_window: body.calling_window, media_urls: body.media_urls },
    config,
    templates: templatesOf(agent.id, agent.version, config),
  };
  const sender = { carrier, number, prices: ctx.textPrices, firstHourTexts: ctx.firstHourTexts };
  const begun = await preflights.begin(ctx.db, tenantId, campaign, sender, { now, realNow: ctx.now() });
  await steps.assessAll(ctx, tenantId, campaign, contacts, begun);
  const { callingWindows } = ctx;
  return preflights.conclude(begun, campaign, { ...sender, campaignId: NO_ID, callingWindows });
}
