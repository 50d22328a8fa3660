import type { Channel, OutreachAttempt } from "#domain/compliance/attempt-cap.ts";
import { contactability } from "#domain/compliance/contactability.ts";
import type { Decision } from "#domain/compliance/gate.ts";
import { type RuleSource, sourceOf } from "#domain/compliance/rule.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { joinPlaces, type Place, placeOf } from "#domain/phones/place.ts";
import { gateSubject } from "#domain/sending/gate-facts.ts";
import { invalidField, notFound } from "#domain/values/errors.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
import type { Page } from "#domain/values/paging.ts";
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
 * dates, window and organization; without one, with those of any contact or list entry of the number. Nothing is locked or counted by it.
 */
export async function getContactability(
  ctx: Context,
  caller: Caller,
  question: { phoneNumber: string; channel: Channel; campaignId: string | undefined },
): Promise<Contactability> {
  const { tenantId } = caller;
  const phone = requirePhone(question.phoneNumber);
  return ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
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
      consents: new Map(consent && [[phone, consent]]),
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
      profile: ctx.profile,
      place,
      campaign: campaign && { ...campaign, config: {} },
      archivedAt: organization?.archived_at ?? null,
      thread,
    });
    const { decision, nextAt } = contactability(subject, now, ctx.callingWindows);
    const rule = decision.outcome === "allowed" ? null : sourceOf(decision.rule, facts.bans);
    // What other organizations did to a person who is no contact of the caller's is not shown.
    const attempts = caller.organizations !== undefined && found.length === 0 ? [] : facts.attempts;
    return { phone, checkedAt: now, decision, nextAt, rule, profile: ctx.profile, place, attempts };
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
