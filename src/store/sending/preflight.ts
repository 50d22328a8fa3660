import { type MissingFields, missingFields } from "#domain/campaigns/missing-fields.ts";
import { type Preflight, preflight } from "#domain/campaigns/preflight.ts";
import { preflightAnswer } from "#domain/campaigns/preflight-answer.ts";
import type { CallingBan } from "#domain/compliance/calling-ban.ts";
import type { CallingWindows } from "#domain/compliance/calling-window.ts";
import { AI_VOICE_CONSENT, basesOf, isEnough, withBasis } from "#domain/compliance/consent.ts";
import { type GateSubject, mayContact } from "#domain/compliance/gate.ts";
import { consentOfLead } from "#domain/compliance/lead-consent.ts";
import { type Supposed, supposedConsent } from "#domain/compliance/what-if.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import type { TextPrices } from "#domain/messaging/price.ts";
import { numberKind, senderRate } from "#domain/numbers/rate-limits.ts";
import type { NumberPlan } from "#domain/phones/number-plan.ts";
import { type Place, placeOf } from "#domain/phones/place.ts";
import { paceOf } from "#domain/sending/budget.ts";
import { rampAt } from "#domain/sending/first-hour.ts";
import type { Pace } from "#domain/sending/forecast.ts";
import { gateSubject } from "#domain/sending/gate-facts.ts";
import { dripsOf, templatesOf, variablesOf } from "#domain/sending/templates.ts";
import type { Templates } from "#domain/sending/text-decision.ts";
import type { Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { SmsCarrier } from "#ports/sms-carrier.ts";
import * as lineTypes from "#store/compliance/line-types.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import { statement, type Tx } from "#store/database/db.ts";
import * as gateFacts from "./gate-facts.ts";
import { type SenderLimits, senderLimits } from "./sender-limits.ts";
import { spendPace } from "./spend-pace.ts";
import { othersOf, type Unsent, unsent } from "./unsent-texts.ts";

// What a claim would find about recipients, read in sets and without a lock: nothing is held, nothing is written.

/** Recipients looked up at once: a statement's fixed cost is nothing beside them, and the thread is not held for long. */
export const PREFLIGHT_BATCH = 5_000;

export type Recipient = {
  phone: string;
  fields: LeadFields;
  thread: { last_inbound_at: Date | null; do_not_message: boolean | null } | undefined;
};

export type PreflightCampaign = {
  channel: "sms" | "voice";
  organizationId: Uuid;
  begin_at: Date | null;
  end_at: Date | null;
  settings: Record<string, unknown>;
  config: Record<string, unknown>;
  templates: Templates;
};

/** What the process brings along. */
export type PreflightRules = {
  profile: "strict" | "federal";
  numberPlan: NumberPlan;
  callingWindows: CallingWindows;
  hashPhone: erasedPhones.HashPhone;
  checksReassigned: boolean;
};

/** What texts cost, and the facts about its sender that a preflight is given. */
export type PreflightSender = {
  carrier: SmsCarrier | undefined;
  number: string;
  prices: TextPrices;
  firstHourTexts: number;
};

export type Begun = {
  check: Preflight;
  pace: SenderLimits;
  spend: Pace["spend"];
  ramp: Pace["ramp"];
  unsent: Unsent;
  startsAt: Date;
};

const picturesOf = ({ settings }: Pick<PreflightCampaign, "settings">): readonly string[] =>
  Array.isArray(settings.media_urls) ? settings.media_urls : [];
const hasPictures = (campaign: Pick<PreflightCampaign, "settings">): boolean => picturesOf(campaign).length > 0;

/** Begins a preflight. */
export async function begin(
  tx: Tx,
  tenantId: Uuid,
  campaign: PreflightCampaign,
  sender: PreflightSender,
  { now, realNow }: { now: Date; realNow: Date },
): Promise<Begun> {
  const { carrier, number } = sender;
  const perSecond = carrier && senderRate(number, carrier.capabilities);
  const of = { carrier: carrier?.name ?? "", sender: number, perSecond };
  const pace = await senderLimits(tx, tenantId, of, now);
  const startsAt = campaign.begin_at !== null && campaign.begin_at > now ? campaign.begin_at : now;
  const check = preflight({
    templates: campaign.templates,
    variables: variablesOf(campaign.config),
    endAt: campaign.end_at,
    startsAt,
    pictures: picturesOf(campaign),
  });
  const price = hasPictures(campaign) ? sender.prices.pictureText : sender.prices.segment;
  const ramp =
    pace.first && rampAt(sender.firstHourTexts, pace.first, { now, aheadMs: now.getTime() - realNow.getTime() });
  const spend = await spendPace(tx, tenantId, price, { now, startsAt });
  // What begins later finds most of them gone.
  const others = startsAt > now ? [] : await unsent(tx, tenantId, now);
  return { check, pace, spend, ramp, unsent: others, startsAt };
}

/** A call has no first text in which a field could be missing. */
export const NO_WORDING = templatesOf("preflight of calls", 0, { starting_message: "call" });

/** Begins a preflight of calls, whose recipients are given to `assess`. */
export function beginCalls(
  { begin_at, end_at }: Pick<PreflightCampaign, "begin_at" | "end_at">,
  now: Date,
): Pick<Begun, "check" | "startsAt"> {
  const startsAt = begin_at !== null && begin_at > now ? begin_at : now;
  const check = preflight({ templates: NO_WORDING, variables: [], endAt: end_at, startsAt });
  return { check, startsAt };
}

/** Ends a preflight: `campaignId` is what it shares its budgets as, NO_ID for one that is to come. */
export function conclude(
  begun: Begun,
  campaign: PreflightCampaign,
  sender: PreflightSender & { campaignId: Uuid; callingWindows: CallingWindows },
): Record<string, unknown> {
  const { check, pace, startsAt } = begun;
  const { budget, perSecond } = pace;
  const rate = budget ? paceOf(budget, sender.campaignId, perSecond) : { perSecond, budget: null };
  const own = { id: sender.campaignId, carrier: sender.carrier?.name ?? "", sender: sender.number };
  const others = othersOf(begun.unsent, own);
  return preflightAnswer({
    report: check.report(),
    forecast: check.forecast({ ...rate, spend: begun.spend, ramp: begun.ramp }, sender.callingWindows, { others }),
    sender: {
      ...{ number: sender.number, kind: numberKind(sender.number), ...pace },
      firstHourTexts: begun.ramp?.texts ?? null,
      isRegisteredElsewhere: sender.carrier?.capabilities.isPublic === true,
    },
    prices: sender.prices,
    hasPictures: hasPictures(campaign),
    startsAt,
    endAt: campaign.end_at,
    lastDripDay: dripsOf(campaign.config).at(-1)?.day ?? 0,
  });
}

const NOTHING_KNOWN = { opted_out_at: null, doubted_at: null, bases: null, deactivated_at: null };

const readConsents = statement(
  "preflight-consents",
  `select phone, opted_out_at, doubted_at, bases, deactivated_at from consents
   where tenant_id = $1 and phone = any($2::text[])
     and (opted_out_at is not null or doubted_at is not null or bases is not null or deactivated_at is not null)`,
);

export type SubjectsAt = { at: Date; supposed?: Supposed; status?: string; archivedAt?: Date | null };

/** The gate's question about each recipient of a campaign at a time, as if it were running unless its state is given. */
export async function subjects(
  tx: Tx,
  tenantId: Uuid,
  campaign: Pick<PreflightCampaign, "channel" | "organizationId" | "begin_at" | "end_at" | "settings" | "config">,
  recipients: readonly Recipient[],
  rules: Omit<PreflightRules, "callingWindows">,
  { at, supposed = {}, status = "active", archivedAt = null }: SubjectsAt,
): Promise<{ recipient: Recipient; subject: GateSubject; place: Place; bans: readonly CallingBan[] }[]> {
  const phones = recipients.map(({ phone }) => phone);
  const found = await consentsOf(tx, tenantId, recipients, rules.hashPhone, at);
  const suppose = (phone: string) => supposedConsent(found.get(phone) ?? { phone, ...NOTHING_KNOWN }, supposed, at);
  const known = await gateFacts.about(tx, tenantId, phones, {
    consents: new Map(phones.map((phone) => [phone, suppose(phone)])),
    now: at,
    channel: campaign.channel,
    checksReassigned: rules.checksReassigned,
  });
  return recipients.map((recipient) => {
    const { phone, fields, thread } = recipient;
    const place = placeOf({ phone, fields }, rules.numberPlan);
    const facts = known.of(phone, campaign.organizationId);
    const subject = gateSubject({
      ...facts,
      channel: campaign.channel,
      purpose: "start",
      profile: supposed.profile ?? rules.profile,
      place,
      campaign: { ...campaign, status },
      archivedAt,
      thread,
    });
    return { recipient, subject, place, bans: facts.bans };
  });
}

/** Adds recipients to a preflight, each with the gate's answer for when the campaign begins. */
export async function assess(
  tx: Tx,
  tenantId: Uuid,
  campaign: PreflightCampaign,
  recipients: readonly Recipient[],
  rules: PreflightRules,
  { check, startsAt: at }: Pick<Begun, "check" | "startsAt">,
): Promise<void> {
  const phones = recipients.map(({ phone }) => phone);
  const lines = new Map(
    (campaign.channel === "sms" ? await lineTypes.find(tx, tenantId, phones) : []).map((line) => [
      line.phone,
      line.line_type,
    ]),
  );
  const asked = await subjects(tx, tenantId, campaign, recipients, rules, { at });
  for (const { recipient, subject, place } of asked) {
    const { phone, fields } = recipient;
    const decision = mayContact(subject, at, rules.callingWindows);
    const consent = subject.screening?.consent;
    const lacksVoiceConsent = campaign.channel === "voice" && !isEnough(consent, AI_VOICE_CONSENT.basis);
    check.add({
      phone,
      fields,
      place,
      policy: subject.policy,
      decision,
      lacksVoiceConsent,
      lineType: lines.get(phone),
    });
  }
}

/** What stands for each phone, with what its contact brings along and what an erased person left. */
async function consentsOf(
  tx: Tx,
  tenantId: Uuid,
  recipients: readonly Recipient[],
  hash: erasedPhones.HashPhone,
  now: Date,
): Promise<Map<string, gateFacts.PhoneConsent>> {
  const phones = recipients.map(({ phone }) => phone);
  const rows = await tx.rows<gateFacts.PhoneConsent>(readConsents, [tenantId, phones]);
  const found = new Map(rows.map((row) => [row.phone, row]));
  for (const { phone, fields } of recipients) {
    const brought = fields.consent_basis === undefined ? undefined : consentOfLead(fields, now);
    if (!brought) continue;
    const known = found.get(phone) ?? { phone, ...NOTHING_KNOWN };
    const bases = withBasis(basesOf(known.bases), { basis: brought.basis, channel: "any", at: brought.at });
    found.set(phone, { ...known, bases: bases.map((basis) => ({ ...basis, at: basis.at.toISOString() })) });
  }
  for (const [phone, { opted_out_at }] of await erasedPhones.optOuts(tx, tenantId, phones, hash)) {
    const known = found.get(phone) ?? { phone, ...NOTHING_KNOWN };
    found.set(phone, { ...known, opted_out_at: known.opted_out_at ?? opted_out_at });
  }
  return found;
}

const knownFields = statement(
  "preflight-known-contacts",
  "select phone, fields from contacts where tenant_id = $1 and organization_id = $2 and phone = any($3::text[])",
);

/** Leads as the campaign would have them: over the fields that the organization's contacts have already. */
export async function withKnownFields(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  leads: readonly { phone: string; fields: LeadFields }[],
): Promise<Recipient[]> {
  const phones = leads.map(({ phone }) => phone);
  const rows = await tx.rows<{ phone: string; fields: LeadFields }>(knownFields, [tenantId, organizationId, phones]);
  const known = new Map(rows.map((row) => [row.phone, row.fields]));
  return leads.map(({ phone, fields }) => ({ phone, fields: { ...known.get(phone), ...fields }, thread: undefined }));
}

/** Which of these leads lack a field that the agent's texts need, and that the organization's contacts do not have either. */
export async function missingOf(
  tx: Tx,
  tenantId: Uuid,
  { organizationId, config }: Pick<PreflightCampaign, "organizationId" | "config">,
  leads: readonly { phone: string; fields: LeadFields }[],
): Promise<MissingFields> {
  const missing = missingFields(config);
  for (const piece of piecesOf(missing.isEmpty ? [] : leads.filter(missing.lacksAny), PREFLIGHT_BATCH)) {
    for (const known of await withKnownFields(tx, tenantId, organizationId, piece)) missing.add(known);
  }
  return missing;
}

const waitingRecipients = statement(
  "preflight-waiting-recipients",
  `select thread.id, thread.phone, thread.last_inbound_at, thread.do_not_message, contact.fields
   from threads thread
   join messages message on message.tenant_id = $1 and message.campaign_id = thread.campaign_id and message.thread_id = thread.id
     and message.step = 0 and message.state in ('scheduled', 'held')
   left join contacts contact on contact.tenant_id = $1 and contact.id = thread.contact_id
   where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id > $3
   order by thread.id limit ${PREFLIGHT_BATCH}`,
);

export type WaitingRecipient = Recipient & { id: Uuid };

/** A campaign's recipients whose starting message is still to leave, after the given one, PREFLIGHT_BATCH at most. */
export async function waiting(tx: Tx, tenantId: Uuid, campaignId: Uuid, after: Uuid): Promise<WaitingRecipient[]> {
  type Row = { id: Uuid; phone: string; fields: LeadFields | null } & NonNullable<Recipient["thread"]>;
  const rows = await tx.rows<Row>(waitingRecipients, [tenantId, campaignId, after]);
  return rows.map(({ id, phone, fields, ...thread }) => ({ id, phone, fields: fields ?? {}, thread }));
}
