import { type Static, Type } from "typebox";
import { createVoiceCampaign as contract } from "#contract/campaigns/voice-campaigns.ts";
import { renamer } from "#contract/values/names.ts";
import { warner } from "#contract/values/unknown-names.ts";
import { validator } from "#contract/values/validate.ts";
import { isNamedIn, refuseForeign } from "#domain/accounts/organization.ts";
import { redialConfig } from "#domain/calls/redial.ts";
import { callPace, onAnotherTrunk, outboundField, outboundNumbers } from "#domain/campaigns/outbound.ts";
import { callPreflightAnswer } from "#domain/campaigns/preflight-calls.ts";
import { failedField, invalidField, notFound } from "#domain/values/errors.ts";
import { requireId, type Uuid } from "#domain/values/id.ts";
import { campaignTimes, checkWindow } from "#domain/values/instant.ts";
import { keepCarrier, NO_ACCOUNT } from "#operations/carriers.ts";
import { type BulkOperation, type Caller, type Context, lineFrom } from "#operations/context.ts";
import type { CallLine } from "#ports/call-line.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as agents from "#store/agents/agents.ts";
import * as dialLanes from "#store/calls/dial-lanes.ts";
import * as dials from "#store/calls/dials.ts";
import { grow } from "#store/campaigns/campaigns.ts";
import * as leftOutLeads from "#store/campaigns/left-out.ts";
import { find, insert, type VoiceCampaign } from "#store/campaigns/voice-campaigns.ts";
import * as voiceLeads from "#store/campaigns/voice-leads.ts";
import * as consents from "#store/compliance/consents.ts";
import * as leadConsents from "#store/compliance/lead-consents.ts";
import * as rests from "#store/numbers/rests.ts";
import * as preflights from "#store/sending/preflight.ts";
import { campaignWarnings } from "./campaign-warnings.ts";
import * as steps from "./create-steps.ts";

/** The leads are read by readLeadBody, which can handle 100,000 of them; the rest by the contract's own schema. */
const head = Type.Object({
  ...contract.body!.properties,
  leads: Type.Optional(Type.Array(Type.Unknown(), { minItems: 1 })),
});
const problemsOf = validator(head, "body");
const renamed = renamer(contract, head);
type Body = Static<typeof head>;
/** The numbers that it calls from: the default one first, each once. */
type Asked = steps.Given<Body> & { numbers: string[] };
type Plan = Awaited<ReturnType<typeof plan>>;
type Made = Pick<VoiceCampaign, "campaign_id" | "begin_at" | "end_at" | "settings">;

const DAY_MS = 86_400_000;
/** The default of the API. */
const LASTS_MS = 7 * DAY_MS;
const CALLS: steps.Channel<Asked, Plan, VoiceCampaign> = {
  kind: "voice",
  async read(_, caller, bytes) {
    const given = steps.readBody<Body>(caller, bytes, { field: "leads", renamed, problemsOf, own: outboundNumbers });
    return { ...given, numbers: outboundNumbers(given.body) };
  },
  warningsOf: warner(head, "field"),
  find,
  plan,
  async store(ctx, caller, planned, named) {
    const made = await store(ctx, caller, planned, named);
    ctx.log.info({ campaignId: named.campaignId, leads: made.settings.contacts }, "voice campaign created");
    return answer(made, planned.asked);
  },
  cautions,
  repeated: (asked, known) => answer(known, asked),
  preflight,
};

export const createVoiceCampaign: BulkOperation = (ctx, caller, _, bytes) => steps.create(CALLS, ctx, caller, bytes);
export const preflightNewVoiceCampaign: BulkOperation = (ctx, caller, _, bytes) =>
  steps.preflight(CALLS, ctx, caller, bytes);

async function plan(ctx: Context, caller: Caller, asked: Asked) {
  const { tenantId } = caller;
  const { body, numbers } = asked;
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const agent = await agents.findByAnyId(ctx.db, tenantId, body.voice_agent_id);
  if (!agent) throw notFound("Voice agent");
  if (agent.type !== "voice") throw invalidField("voice_agent_id", "names an agent that is not a voice agent");
  const organizationId =
    body.organization_id === undefined
      ? agent.organization_id
      : requireId("organization", body.organization_id, "Organization");
  const userId = body.user_id === undefined ? agent.user_id : requireId("user", body.user_id, "User");
  const { organization, user } = await steps.findOwners(ctx, tenantId, organizationId, userId);
  refuseForeign(organizationId, { user_id: user, voice_agent_id: agent });
  const line = await lineOf(ctx, caller, numbers);
  checkWindow(body.calling_window);
  const { beginAt: later, endAt: end } = campaignTimes(body, now);
  const beginAt = later ?? now;
  const endAt = end ?? new Date(beginAt.getTime() + LASTS_MS);
  const contacts = await steps.readContacts(ctx, tenantId, asked, { organizationId, numbers });
  steps.requireSomebody(contacts, asked, "leads");
  return { asked, body, contacts, numbers, organizationId, organization, userId, agent, line, now, beginAt, endAt };
}

/** The one line that all numbers of a campaign are on: its pace, and what it may have going on at once, are that line's. */
async function lineOf(ctx: Context, caller: Caller, numbers: readonly string[]): Promise<CallLine> {
  const lines = await Promise.all(
    numbers.map((number) => lineFrom(ctx, caller, number, outboundField(numbers, number), number)),
  );
  const [line] = lines;
  const other = lines.findIndex(({ name }) => name !== line!.name);
  if (other > 0) throw onAnotherTrunk("agent_outbound_numbers", numbers[other]!, "agent_outbound_number");
  return line!;
}

async function store(ctx: Context, caller: Caller, planned: Plan, named: steps.Named): Promise<Made> {
  const { tenantId } = caller;
  const { body, contacts, numbers, organizationId, agent, line, now, beginAt, endAt } = planned;
  const id = caller.newId();
  const { perSecond, concurrency } = callPace(body, line.capabilities, numbers);
  const { stored, given: brought } = contacts;
  const campaign = {
    id,
    campaign_id: named.campaignId,
    name: body.campaign_name ?? null,
    organization_id: organizationId,
    user_id: planned.userId,
    agent_id: agent.id,
    carrier: line.name,
    sender: numbers[0]!,
    begin_at: beginAt,
    end_at: endAt,
    body_hash: named.bodyHash,
    created_at: now,
  };
  const skips = await foreseen(ctx, tenantId, planned);
  return ctx.db.transaction(async (tx) => {
    // The account may have been removed since it was found.
    if (!(await keepCarrier(tx, tenantId, line.name)))
      throw failedField("voice_not_enabled", "agent_outbound_number", NO_ACCOUNT);
    const sources = { organizationId, stored, brought, numbers };
    const { leads, held } = await steps.hold(tx, tenantId, sources, { id: agent.id, noun: "Voice agent" });
    await leadConsents.bring(tx, tenantId, brought, { now, newId: ctx.newId });
    const phones = leads.map(({ phone }) => phone);
    const settings = {
      voice_agent_id: body.voice_agent_id,
      ...(body.objective ? { objective: body.objective } : {}),
      ...(body.calling_window ? { calling_window: body.calling_window } : {}),
      ...(body.redial_enabled === true ? { redial_config: redialConfig(body.redial_config) } : {}),
      invalid_leads: contacts.total - contacts.usable,
      contacts: leads.length,
      ...(skips && Object.keys(skips).length > 0 ? { skips } : {}),
      without_voice_consent: phones.length - (await consents.countVoiceConsents(tx, tenantId, phones)),
    };
    const made = { ...campaign, settings };
    await insert(tx, tenantId, { ...made, agent_version: held.version });
    const target = {
      tenantId,
      campaignId: id,
      organizationId,
      agentId: agent.id,
      agentVersion: held.version,
      dueAt: beginAt,
    };
    const added = await voiceLeads.insertAll(tx, target, leads, { now, newId: ctx.newId });
    await leftOutLeads.insert(tx, tenantId, id, planned.asked.leftOut, ctx.newId);
    await dialLanes.insert(tx, tenantId, {
      id,
      carrier: line.name,
      numbers,
      per_second: perSecond,
      concurrency,
      now: ctx.now(),
    });
    await dials.wakeLanes(tx, tenantId, new Map([[id, beginAt]]), { now, realNow: ctx.now() });
    await grow(tx, tenantId, id, added, now);
    ctx.audit.note({
      object: { kind: "campaign", id: named.campaignId },
      organizationId,
      before: null,
      after: {
        campaign_name: campaign.name,
        agent_id: agent.id,
        agent_outbound_numbers: numbers,
        campaign_begin_time: beginAt,
        campaign_end_time: endAt,
      },
      counts: { leads: leads.length, left_out: planned.asked.leftOut.length },
    });
    return made;
  });
}

/** Of a repeat, the leads of its body: those that were stored may have changed since. */
async function cautions(ctx: Context, caller: Caller, asked: Asked, of: Plan | VoiceCampaign): Promise<string[]> {
  const isPlan = "agent" in of;
  const config = isPlan
    ? of.agent.config
    : await agents.configOf(ctx.db, caller.tenantId, of.agent_id, of.agent_version);
  return campaignWarnings(ctx, caller, {
    organizationId: isPlan ? of.organizationId : of.organization_id,
    config,
    leads: isPlan ? of.contacts.leads : asked.taken,
    given: asked.taken,
    field: "leads",
    senders: asked.numbers.map((phone, i) => ({
      field: i === 0 ? "agent_outbound_number" : "agent_outbound_numbers",
      phone,
      channel: "voice",
    })),
    voice: { config },
  });
}

function answer(campaign: Made, { leftOut }: Asked): steps.Answer {
  const { contacts, invalid_leads, without_voice_consent } = campaign.settings;
  return {
    campaign_id: campaign.campaign_id,
    contacts_count: contacts,
    invalid_leads_count: invalid_leads,
    without_voice_consent_count: without_voice_consent ?? null,
    campaign_begin_time: campaign.begin_at.toISOString(),
    campaign_end_time: campaign.end_at.toISOString(),
    message: messageOf(campaign.settings),
    left_out: leftOut,
  };
}

function messageOf({ contacts, skips = {} }: Made["settings"]): string {
  // In an order of its own: what is stored has lost that of the preflight, and a repeat answers with the same words.
  const rules = Object.entries(skips).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const skipped = rules.reduce((sum, [, n]) => sum + n, 0);
  const called = Math.max(0, contacts - skipped);
  const will = `${called} contact${called === 1 ? "" : "s"} will be called`;
  if (skipped > 0) return `${will}, ${skipped} will not: ${rules.map(([rule, n]) => `${n} by ${rule}`).join(", ")}`;
  return contacts > preflights.PREFLIGHT_BATCH ? `${will}, but for those whom a rule forbids to call` : will;
}

/** Runs the gate over all contacts, for when the campaign begins. */
async function assessed(ctx: Context, tenantId: Uuid, planned: Plan) {
  const { body, contacts, organizationId, agent, now, beginAt, endAt } = planned;
  const campaign = {
    channel: "voice" as const,
    organizationId,
    begin_at: beginAt,
    end_at: endAt,
    settings: { calling_window: body.calling_window },
    config: agent.config,
    templates: preflights.NO_WORDING,
  };
  const begun = preflights.beginCalls(campaign, now);
  await steps.assessAll(ctx, tenantId, campaign, contacts, begun);
  return begun;
}

/** How many of a campaign's contacts the gate would skip, by rule; undefined for a large one, whose creation would wait for it. */
async function foreseen(ctx: Context, tenantId: Uuid, planned: Plan): Promise<Record<string, number> | undefined> {
  if (planned.contacts.leads.length > preflights.PREFLIGHT_BATCH) return undefined;
  const { skips } = (await assessed(ctx, tenantId, planned)).check.report();
  // Who is left out is no contact of the campaign.
  const { invalid_number: _, duplicate: __, ...byRule } = skips;
  return byRule;
}

async function preflight(ctx: Context, { tenantId }: Caller, planned: Plan): Promise<steps.Answer> {
  const { body, numbers, organization, line, endAt } = planned;
  const { config } = planned.agent;
  const begun = await assessed(ctx, tenantId, planned);
  const resting = await rests.restingOf(ctx.db, tenantId, numbers, begun.startsAt);
  const awake = numbers.filter((number) => !resting.has(number));
  // Where all rest nobody is called before the first of them is awake again.
  const startsAt = awake.length > 0 ? begun.startsAt : new Date(Math.min(...[...resting.values()].map(Number)));
  const pace = callPace(body, line.capabilities, awake.length > 0 ? awake : numbers);
  return callPreflightAnswer({
    report: begun.check.report(),
    forecast: begun.check.forecast({ perSecond: pace.perSecond, budget: null }, ctx.callingWindows, { from: startsAt }),
    numbers,
    resting,
    ...pace,
    startsAt,
    endAt,
    // An agent without an opening of its own introduces itself.
    namesOrganization: !config.starting_message || isNamedIn(organization.name, config.starting_message),
  });
}
