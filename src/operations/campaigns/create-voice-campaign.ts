import { createHash } from "node:crypto";
import { type Static, Type } from "typebox";
import { MAX_LEADS } from "#contract/campaigns/campaigns.ts";
import { createVoiceCampaign as contract } from "#contract/campaigns/voice-campaigns.ts";
import { validator } from "#contract/values/validate.ts";
import { isNamedIn, refuseForeign } from "#domain/accounts/organization.ts";
import { DEFAULT_REDIAL, type RedialConfig } from "#domain/calls/redial.ts";
import { callPreflightAnswer } from "#domain/campaigns/preflight-calls.ts";
import { type Lead, uniqueByPhone } from "#domain/contacts/lead.ts";
import { type LeadBody, missingLeads, readLeadBody } from "#domain/contacts/lead-body.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { canonicalJson } from "#domain/values/canonical.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import { base32, requireId, type Uuid } from "#domain/values/id.ts";
import { campaignTimes, checkWindow } from "#domain/values/instant.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as users from "#store/accounts/users.ts";
import * as agents from "#store/agents/agents.ts";
import * as dialLanes from "#store/calls/dial-lanes.ts";
import * as dials from "#store/calls/dials.ts";
import { grow } from "#store/campaigns/campaigns.ts";
import { find, insert, type VoiceCampaign } from "#store/campaigns/voice-campaigns.ts";
import * as voiceLeads from "#store/campaigns/voice-leads.ts";
import * as consents from "#store/compliance/consents.ts";
import * as leadConsents from "#store/compliance/lead-consents.ts";
import * as audience from "#store/contacts/audience.ts";
import { isUniqueViolation } from "#store/database/db.ts";
import * as preflights from "#store/sending/preflight.ts";

/** The leads are read by readLeadBody, which can handle 100,000 of them; the rest by the contract's own schema. */
const head = Type.Object({
  ...contract.body!.properties,
  leads: Type.Optional(Type.Array(Type.Unknown(), { minItems: 1 })),
});
const problemsOf = validator(head, "body");
type Body = Static<typeof head>;

const DAY_MS = 86_400_000;
/** The default of the API. */
const LASTS_MS = 7 * DAY_MS;
/** A hundred calls at once and ten a second: what a small provider's trunk takes. */
const DEFAULT_CONCURRENCY = 100;
const DEFAULT_PER_SECOND = 10;

/**
 * Creates a voice campaign with its leads, all or nothing, and enqueues its lane's job. The same campaign_id with the same body answers as the first
 * time and does nothing; with another body it is a 409. Takes the request's bytes: with 100,000 leads it runs in a thread of its own.
 */
export async function createVoiceCampaign(
  ctx: Context,
  caller: Caller,
  _params: Record<string, string>,
  bytes: Uint8Array,
): Promise<Record<string, unknown>> {
  const { body, leads: given } = read(caller, bytes);
  const numbers = readNumbers(body);
  const bodyHash = createHash("sha256").update(canonicalJson(body)).digest();
  const campaignId = body.campaign_id ?? `voice_campaign_${base32(caller.newId())}`;
  const known = body.campaign_id === undefined ? undefined : await find(ctx.db, caller.tenantId, campaignId);
  if (known) return repeat(known, bodyHash);
  const plan = await checkPlan(ctx, caller, body, numbers);
  const { stored, callable, total } = await readAudience(ctx, caller, { body, plan, given, numbers });
  const settings = {
    voice_agent_id: body.voice_agent_id,
    ...(body.objective ? { objective: body.objective } : {}),
    ...(body.calling_window ? { calling_window: body.calling_window } : {}),
    ...(body.redial_enabled === true ? { redial_config: redialOf(body) } : {}),
    invalid_leads: total - callable,
  };
  try {
    const made = await store(ctx, caller, {
      ...plan,
      campaignId,
      bodyHash,
      body,
      numbers,
      stored,
      brought: uniqueByPhone(withoutOwn(given, numbers)),
      settings,
    });
    ctx.log.info({ campaignId, leads: made.settings.contacts }, "voice campaign created");
    return answer(made);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Of two requests at once with the same id, the one that lost answers like a repeat. Or a campaign of texts has the id.
    const winner = await find(ctx.db, caller.tenantId, campaignId);
    if (!winner) throw failure("conflict", "campaign_id is that of another campaign of this tenant");
    return repeat(winner, bodyHash);
  }
}

/**
 * Reports what creating a voice campaign with this body would do: the same checks, the same errors, and then nothing is stored. Runs where a create
 * runs.
 */
export async function preflightNewVoiceCampaign(
  ctx: Context,
  caller: Caller,
  _params: Record<string, string>,
  bytes: Uint8Array,
): Promise<Record<string, unknown>> {
  const { tenantId } = caller;
  const { body, leads: given } = read(caller, bytes);
  const numbers = readNumbers(body);
  const plan = await checkPlan(ctx, caller, body, numbers);
  const { organizationId, agent, line, now, beginAt, endAt } = plan;
  const { leads, callable, total } = await readAudience(ctx, caller, { body, plan, given, numbers });
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
  begun.check.skip("invalid_number", total - callable);
  begun.check.skip("duplicate", callable - leads.length);
  const rules = { ...ctx, checksReassigned: ctx.reassignedNumbers !== undefined };
  for (const piece of piecesOf(leads, preflights.PREFLIGHT_BATCH)) {
    const recipients = await preflights.withKnownFields(ctx.db, tenantId, organizationId, piece);
    await preflights.assess(ctx.db, tenantId, campaign, recipients, rules, begun);
  }
  const pace = paceOf(body, line.capabilities, numbers);
  const forecast = begun.check.forecast({ perSecond: pace.perSecond, budget: null }, ctx.callingWindows);
  const { startsAt } = begun;
  return {
    preflight: callPreflightAnswer({
      report: begun.check.report(),
      forecast,
      numbers,
      ...pace,
      startsAt,
      endAt,
      namesOrganization: namesOrganization(plan),
    }),
  };
}

const read = (caller: Caller, bytes: Uint8Array): LeadBody<Body> =>
  readLeadBody(bytes, {
    field: "leads",
    most: MAX_LEADS,
    tenantId: caller.tenantId,
    problemsOf: (value) => [...problemsOf(value), ...missingLeads(value, "leads")],
  });

/** The default number and the pool, each once. */
function readNumbers(body: Body): string[] {
  const given: [string, string][] = [
    ["agent_outbound_number", body.agent_outbound_number],
    ...(body.agent_outbound_numbers ?? []).map((number, i): [string, string] => [
      `agent_outbound_numbers[${i}]`,
      number,
    ]),
  ];
  const numbers = given.map(([field, number]) => {
    const normal = normalizePhone(number);
    if ("problem" in normal) throw failure("voice_not_enabled", `${field} ${normal.problem}`);
    return normal.phone;
  });
  return [...new Set(numbers)];
}

type Asked = { body: Body; plan: { organizationId: Uuid }; given: readonly Lead[]; numbers: readonly string[] };

/** The stored contacts; all contacts once each; and how many of those named could be called, counting repetitions. */
async function readAudience(ctx: Context, caller: Caller, { body, plan, given, numbers }: Asked) {
  const from = { organizationId: plan.organizationId, most: MAX_LEADS };
  const stored = await audience.read(ctx.db, caller.tenantId, body, from);
  const callable = withoutOwn([...stored, ...given], numbers);
  const total = stored.length + (body.leads ?? []).length;
  return { stored, leads: uniqueByPhone(callable), callable: callable.length, total };
}

/** A campaign that called its own number would talk to itself. */
const withoutOwn = (leads: readonly Lead[], numbers: readonly string[]): Lead[] =>
  leads.filter(({ phone }) => !numbers.includes(phone));

/** Calls a second and at once: as requested, but no more than the line takes for each number. */
function paceOf(
  body: Body,
  line: { callsPerSecond?: number | undefined; concurrency?: number | undefined },
  numbers: readonly string[],
): { perSecond: number; concurrency: number } {
  const most = (wanted: number, each: number | undefined) => Math.min(wanted, (each ?? Infinity) * numbers.length);
  return {
    perSecond: most(body.calls_per_second ?? DEFAULT_PER_SECOND, line.callsPerSecond),
    concurrency: most(body.max_concurrent_calls ?? DEFAULT_CONCURRENCY, line.concurrency),
  };
}

function redialOf({ redial_config: given }: Body): RedialConfig {
  return {
    max_attempts: given?.max_attempts ?? DEFAULT_REDIAL.max_attempts,
    retry_delay_minutes: given?.retry_delay_minutes ?? DEFAULT_REDIAL.retry_delay_minutes,
    retry_on: given?.retry_on ? [...new Set(given.retry_on)] : DEFAULT_REDIAL.retry_on,
  };
}

/** Whether a call begins with the organization's name; an agent without an opening of its own introduces itself. */
const namesOrganization = ({ agent, organization }: Awaited<ReturnType<typeof checkPlan>>): boolean =>
  !agent.config.starting_message || isNamedIn(organization.name, agent.config.starting_message);

/** Checks that everything that the campaign names exists, belongs to the tenant and fits together. */
async function checkPlan(ctx: Context, caller: Caller, body: Body, numbers: readonly string[]) {
  const { tenantId } = caller;
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const agent = await agents.findByAnyId(ctx.db, tenantId, body.voice_agent_id);
  if (!agent) throw notFound("Voice agent");
  if (agent.type !== "voice") throw invalidField("voice_agent_id", "names an agent that is not a voice agent");
  const organizationId =
    body.organization_id === undefined
      ? agent.organization_id
      : requireId("organization", body.organization_id, "Organization");
  const userId = body.user_id === undefined ? agent.user_id : requireId("user", body.user_id, "User");
  const [organization, user] = await Promise.all([
    organizations.find(ctx.db, tenantId, organizationId),
    users.find(ctx.db, tenantId, userId),
  ]);
  if (!organization) throw notFound("Organization");
  if (!user) throw notFound("User");
  refuseForeign(organizationId, { user_id: user, voice_agent_id: agent });
  const line = ctx.lines.forMode(caller.mode);
  if (!line) throw failure("voice_not_enabled", "No carrier of voice is configured for live keys");
  for (const number of numbers) {
    if (await line.mayCallFrom(tenantId, number)) continue;
    throw failure("voice_not_enabled", `${number} is not a number that this tenant may call from`);
  }
  checkWindow(body.calling_window);
  const { beginAt: later, endAt: given } = campaignTimes(body, now);
  const beginAt = later ?? now;
  const endAt = given ?? new Date(beginAt.getTime() + LASTS_MS);
  return { organizationId, organization, userId, agent, line, now, beginAt, endAt };
}

type Plan = Awaited<ReturnType<typeof checkPlan>> & {
  campaignId: string;
  bodyHash: Buffer;
  body: Body;
  numbers: string[];
  stored: audience.StoredLead[];
  /** The contacts in the body, which bring their consents along. */
  brought: Lead[];
  settings: Omit<VoiceCampaign["settings"], "contacts" | "without_voice_consent">;
};
type Made = Pick<VoiceCampaign, "campaign_id" | "begin_at" | "end_at" | "settings">;

async function store(ctx: Context, caller: Caller, plan: Plan): Promise<Made> {
  const { tenantId } = caller;
  const { agent, line, now, beginAt, endAt, body, numbers } = plan;
  const id = caller.newId();
  const { perSecond, concurrency } = paceOf(body, line.capabilities, numbers);
  const campaign = {
    id,
    campaign_id: plan.campaignId,
    name: body.campaign_name ?? null,
    organization_id: plan.organizationId,
    user_id: plan.userId,
    agent_id: agent.id,
    agent_version: agent.version,
    carrier: line.name,
    sender: numbers[0]!,
    begin_at: beginAt,
    end_at: endAt,
    body_hash: plan.bodyHash,
    created_at: now,
  };
  return ctx.db.transaction(async (tx) => {
    const present = await audience.lockPresent(tx, tenantId, plan.stored);
    const leads = uniqueByPhone(withoutOwn([...present, ...plan.brought], numbers));
    // The agent may have been deleted, or given a new version, since it was read: the version that is locked now counts.
    const held = await agents.hold(tx, tenantId, agent.id);
    if (!held) throw notFound("Voice agent");
    const { version } = held;
    await leadConsents.bring(tx, tenantId, plan.brought, { now, newId: ctx.newId });
    const phones = leads.map(({ phone }) => phone);
    const without = phones.length - (await consents.countVoiceConsents(tx, tenantId, phones));
    const settings = { ...plan.settings, contacts: leads.length, without_voice_consent: without };
    const made = { ...campaign, settings };
    await insert(tx, tenantId, { ...made, agent_version: version });
    const target = {
      tenantId,
      campaignId: id,
      organizationId: plan.organizationId,
      agentId: agent.id,
      agentVersion: version,
      dueAt: beginAt,
    };
    const added = await voiceLeads.insertAll(tx, target, leads, { now, newId: ctx.newId });
    await dialLanes.insert(tx, tenantId, {
      id,
      carrier: line.name,
      numbers,
      per_second: perSecond,
      concurrency,
      now: ctx.now(),
    });
    await dials.wakeLanes(tx, tenantId, new Map<Uuid, Date>([[id, beginAt]]), { now, realNow: ctx.now() });
    await grow(tx, tenantId, id, added, plan.now);
    return made;
  });
}

/** The same body gets the same answer, whatever leads have been added since. */
function repeat(known: VoiceCampaign, bodyHash: Buffer): Record<string, unknown> {
  if (!known.body_hash.equals(bodyHash)) throw failure("conflict", "campaign_id exists with another body");
  return answer(known);
}

function answer(campaign: Made): Record<string, unknown> {
  const { contacts, invalid_leads, without_voice_consent } = campaign.settings;
  return {
    campaign_id: campaign.campaign_id,
    contacts_count: contacts,
    invalid_leads_count: invalid_leads,
    without_voice_consent_count: without_voice_consent ?? null,
    campaign_begin_time: campaign.begin_at.toISOString(),
    campaign_end_time: campaign.end_at.toISOString(),
    message: `${contacts} contact${contacts === 1 ? "" : "s"} will be called`,
  };
}
