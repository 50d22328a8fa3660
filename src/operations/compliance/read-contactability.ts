import type { Channel, OutreachAttempt } from "#domain/compliance/attempt-cap.ts";
import { contactability } from "#domain/compliance/contactability.ts";
import type { Decision } from "#domain/compliance/gate.ts";
import { type RuleSource, sourceOf } from "#domain/compliance/rule.ts";
import { type Supposed, supposedConsent } from "#domain/compliance/what-if.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { joinPlaces, type Place, placeOf } from "#domain/phones/place.ts";
import { gateSubject } from "#domain/sending/gate-facts.ts";
import { invalidField, notFound } from "#domain/values/errors.ts";
import { NO_ID } from "#domain/values/id.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
import type { Page } from "#domain/values/paging.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as callingBans from "#store/compliance/calling-bans.ts";
import * as contacts from "#store/contacts/contacts.ts";
import * as history from "#store/contacts/history.ts";
import * as threads from "#store/messaging/threads.ts";
import * as gateFacts from "#store/sending/gate-facts.ts";
import * as heldConsents from "#store/sending/held-consents.ts";
import * as preflights from "#store/sending/preflight.ts";

const NOTHING_KNOWN = { opted_out_at: null, doubted_at: null, bases: null, deactivated_at: null };

export type Contactability = {
  phone: string;
  checkedAt: Date;
  decision: Decision;
  nextAt: Date | null;
  rule: RuleSource | null;
  profile: string;
  place: Place;
  attempts: readonly OutreachAttempt[];
};

/**
 * The gate's answer to outreach to a number at this moment, from the facts that a claim would find. Within a campaign with that campaign's contact,
 * dates, window and organization; without one, with those of any contact or list entry of the number. Nothing is locked or counted by it. `at` and
 * `supposed` ask for another time and for other facts than those that are known.
 */
export async function getContactability(
  ctx: Context,
  caller: Caller,
  question: { phoneNumber: string; channel: Channel; campaignId: string | undefined; at?: Date; supposed?: Supposed },
): Promise<Contactability> {
  const { tenantId } = caller;
  const phone = requirePhone(question.phoneNumber);
  return ctx.db.transaction(async (tx) => {
    const now = question.at ?? (await tenants.tenantNow(tx, tenantId, ctx.now()));
    const { supposed = {} } = question;
    const profile = supposed.profile ?? ctx.profile;
    const campaign =
      question.campaignId === undefined ? undefined : await campaigns.find(tx, tenantId, question.campaignId);
    if (question.campaignId !== undefined && !campaign) throw notFound("Campaign");
    const [consent, thread, found, organization] = await Promise.all([
      heldConsents.find(tx, tenantId, phone, ctx.hashPhone),
      campaign && threads.byPhone(tx, tenantId, campaign.id, phone),
      contacts.ofPhone(tx, tenantId, phone),
      campaign && organizations.find(tx, tenantId, campaign.organization_id),
    ]);
    const known = await gateFacts.about(tx, tenantId, [phone], {
      consents: new Map([[phone, supposedConsent(consent ?? { phone, ...NOTHING_KNOWN }, supposed, now)]]),
      now,
      channel: question.channel,
      checksReassigned: ctx.reassignedNumbers !== undefined,
    });
    const theirs = campaign ? found.filter((contact) => contact.organization_id === campaign.organization_id) : found;
    const places = theirs.map(({ fields }) => placeOf({ phone, fields }, ctx.numberPlan));
    const place = joinPlaces(places) ?? placeOf({ phone, fields: {} }, ctx.numberPlan);
    const facts = known.of(phone, campaign?.organization_id);
    const subject = gateSubject({
      ...facts,
      channel: question.channel,
      purpose: "start",
      profile,
      place,
      campaign: campaign && { ...campaign, config: {} },
      archivedAt: organization?.archived_at ?? null,
      thread,
    });
    const { decision, nextAt } = contactability(subject, now, ctx.callingWindows);
    const rule = decision.outcome === "allowed" ? null : sourceOf(decision.rule, facts.bans);
    // What other organizations did to a person who is no contact of the caller's is not shown.
    const attempts = caller.organizations !== undefined && found.length === 0 ? [] : facts.attempts;
    return { phone, checkedAt: now, decision, nextAt, rule, profile, place, attempts };
  });
}

/** The parts of the history's page key: milliseconds since 1970, an id, an outcome. */
export const HISTORY_KEY = [/^\d{1,15}$/, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, /^[a-z]{1,10}$/] as const;

export type ExplainedDecision = history.ContactDecision & { source: RuleSource | null };

/** Every decision about texts and calls to a number over all campaigns, newest first, each rule with its source. */
export async function listContactDecisions(
  ctx: Context,
  caller: Caller,
  page: TextPageRequest & { phoneNumber: string },
): Promise<Page<ExplainedDecision>> {
  const phone = requirePhone(page.phoneNumber);
  const [at, id, outcome] = page.after ?? [];
  const after = at === undefined ? undefined : { at: new Date(Number(at)), id: id!, outcome: outcome! };
  const [rows, bans] = await Promise.all([
    history.ofPhone(ctx.db, caller.tenantId, phone, {
      after,
      limit: page.limit,
      ofAll: caller.organizations === undefined,
    }),
    callingBans.all(ctx.db, caller.tenantId),
  ]);
  const explained = rows.map((row) => ({ ...row, source: row.rule === null ? null : sourceOf(row.rule, bans) }));
  return textPageOf(explained, page.limit, (row) => [String(row.at.getTime()), row.id, row.outcome]);
}

function requirePhone(text: string): string {
  const normal = normalizePhone(text);
  if ("problem" in normal) throw invalidField("phone_number", normal.problem);
  return normal.phone;
}

/** A rule's word on so many, and when the first of them could be reached. */
export type Foreseen = {
  outcome: Decision["outcome"];
  rule: RuleSource | null;
  reason: string | null;
  contacts: number;
  nextAt: Date | null;
};

export type WhatIf = { at: Date; profile: string; decisions: Foreseen[]; contacts: number; isComplete: boolean };

/** Of a campaign so many recipients are looked at, a piece at a time: what the gate computes for a piece holds up nobody else for long. */
const MOST_RECIPIENTS = 20_000;
const PIECE = 1_000;

export type WhatIfQuestion = {
  phoneNumber: string | undefined;
  campaignId: string | undefined;
  channel: Channel;
  at: Date | undefined;
  supposed: Supposed;
};

/** What the gate would say of a phone, or of a campaign's recipients whose first text waits, if things were otherwise. Writes nothing. */
export async function foresee(ctx: Context, caller: Caller, question: WhatIfQuestion): Promise<WhatIf> {
  const { phoneNumber, campaignId, channel, supposed } = question;
  const now = await tenants.tenantNow(ctx.db, caller.tenantId, ctx.now());
  const at = question.at ?? now;
  if (at.getTime() < now.getTime() - MINUTE_MS) throw invalidField("at", "must not be in the past");
  if (at.getTime() > now.getTime() + YEAR_MS) throw invalidField("at", "must be within a year from now");
  if (phoneNumber !== undefined) {
    const found = await getContactability(ctx, caller, { phoneNumber, channel, campaignId, at, supposed });
    const { decision, rule, nextAt, profile } = found;
    const tally = tallied();
    tally.add(decision, decision.outcome === "allowed" ? at : nextAt, () => rule);
    return { at, profile, decisions: tally.decisions(), contacts: 1, isComplete: true };
  }
  if (campaignId === undefined) throw invalidField("phone_number", "or campaign_id is needed");
  if (channel !== "sms") throw invalidField("channel", "must be sms for the recipients of a campaign");
  return foreseeCampaign(ctx, caller, { campaignId, at, supposed });
}

const MINUTE_MS = 60_000;
const YEAR_MS = 366 * 86_400_000;

async function foreseeCampaign(
  ctx: Context,
  { tenantId }: Caller,
  { campaignId, at, supposed }: { campaignId: string; at: Date; supposed: Supposed },
): Promise<WhatIf> {
  const found = await campaigns.living(ctx.db, tenantId, campaignId);
  const organization = await organizations.find(ctx.db, tenantId, found.organization_id);
  const campaign = { ...found, channel: "sms" as const, organizationId: found.organization_id, config: {} };
  const rules = { ...ctx, checksReassigned: ctx.reassignedNumbers !== undefined };
  const state = { at, supposed, status: found.status, archivedAt: organization?.archived_at ?? null };
  const tally = tallied();
  let contacts = 0;
  let isComplete = false;
  for (let after = NO_ID; contacts < MOST_RECIPIENTS; ) {
    const recipients = await preflights.waiting(ctx.db, tenantId, found.id, after);
    for (const piece of piecesOf(recipients, PIECE)) {
      const asked = await preflights.subjects(ctx.db, tenantId, campaign, piece, rules, state);
      for (const { subject, bans } of asked) {
        const { decision, nextAt } = contactability(subject, at, ctx.callingWindows);
        tally.add(decision, decision.outcome === "allowed" ? at : nextAt, (rule) => sourceOf(rule, bans));
      }
    }
    contacts += recipients.length;
    isComplete = recipients.length < preflights.PREFLIGHT_BATCH;
    if (isComplete) break;
    after = recipients.at(-1)!.id;
  }
  return { at, profile: supposed.profile ?? ctx.profile, decisions: tally.decisions(), contacts, isComplete };
}

/** Counts decisions by their rule, the most frequent first. */
function tallied() {
  const counted = new Map<string, Foreseen>();
  return {
    add(decision: Decision, nextAt: Date | null, sourceOf: (rule: string) => RuleSource | null): void {
      const id = decision.outcome === "allowed" ? "" : decision.rule;
      const known = counted.get(`${decision.outcome} ${id}`);
      const earlier = known?.nextAt && (nextAt === null || known.nextAt < nextAt) ? known.nextAt : nextAt;
      counted.set(`${decision.outcome} ${id}`, {
        outcome: decision.outcome,
        rule: known?.rule ?? (id === "" ? null : sourceOf(id)),
        reason: decision.outcome === "blocked" ? decision.reason : null,
        contacts: (known?.contacts ?? 0) + 1,
        nextAt: earlier,
      });
    },
    decisions: () => [...counted.values()].sort((a, b) => b.contacts - a.contacts),
  };
}
