import * as contract from "#contract/compliance/contactability.ts";
import { type Channel, LONGEST_CAP_MS } from "#domain/compliance/attempt-cap.ts";
import type { ConsentBasis, ConsentChannel } from "#domain/compliance/consent.ts";
import type { Profile } from "#domain/compliance/jurisdiction.ts";
import type { RuleSource } from "#domain/compliance/rule.ts";
import { basisOf } from "#domain/sending/gate-facts.ts";
import { publicId } from "#domain/values/id.ts";
import { requireInstant } from "#domain/values/instant.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { timeView } from "#http/server/views.ts";
import {
  type ExplainedDecision,
  foresee,
  getContactability,
  HISTORY_KEY,
  listContactDecisions,
} from "#operations/compliance/read-contactability.ts";

const HOUR_MS = 3_600_000;

export function contactabilityRoutes(edge: Edge): void {
  route(edge, contract.getContactability, async ({ ctx, caller, query }) => {
    const channel = query.channel ?? "sms";
    const campaignId = query.campaign_id;
    const contactability = await getContactability(ctx, caller, {
      phoneNumber: query.phone_number,
      channel,
      campaignId,
    });
    const { decision, attempts } = contactability;
    const last = attempts.map(({ at }) => at.getTime()).sort((a, b) => b - a)[0];
    return {
      phone_number: contactability.phone,
      channel,
      campaign_id: campaignId ?? null,
      checked_at: contactability.checkedAt.toISOString(),
      allowed: decision.outcome === "allowed",
      decision: decision.outcome,
      until: decision.outcome === "blocked" ? null : timeView(decision.until),
      next_at:
        decision.outcome === "allowed" ? contactability.checkedAt.toISOString() : timeView(contactability.nextAt),
      rule: contactability.rule && ruleView(contactability.rule),
      reason: decision.outcome === "blocked" ? decision.reason : null,
      profile: contactability.profile,
      place: contactability.place,
      attempts: {
        count: attempts.length,
        within_hours: LONGEST_CAP_MS / HOUR_MS,
        last_at: last === undefined ? null : new Date(last).toISOString(),
      },
    };
  });

  route(edge, contract.listContactDecisions, async ({ ctx, caller, query }) => {
    const request = { ...textPageRequest(query, HISTORY_KEY), phoneNumber: query.phone_number };
    return pageAnswer("decisions", await listContactDecisions(ctx, caller, request), decisionView);
  });

  route(edge, contract.askWhatIf, async ({ ctx, caller, body }) => {
    const channel = (body.channel ?? "sms") as Channel;
    const { consent } = body;
    const foreseen = await foresee(ctx, caller, {
      phoneNumber: body.phone_number,
      campaignId: body.campaign_id,
      channel,
      at: body.at === undefined ? undefined : requireInstant("at", body.at),
      supposed: {
        consent: consent && {
          basis: consent.basis as ConsentBasis,
          channel: (consent.channel ?? "any") as ConsentChannel,
        },
        optedOut: body.opted_out,
        profile: body.profile as Profile | undefined,
      },
    });
    return {
      phone_number: body.phone_number ?? null,
      campaign_id: body.campaign_id ?? null,
      channel,
      at: foreseen.at.toISOString(),
      profile: foreseen.profile,
      contacts_count: foreseen.contacts,
      is_complete: foreseen.isComplete,
      decisions: foreseen.decisions.map((each) => ({
        decision: each.outcome,
        rule: each.rule && ruleView(each.rule),
        reason: each.reason,
        contacts_count: each.contacts,
        next_at: timeView(each.nextAt),
      })),
    };
  });
}

const ruleView = (rule: RuleSource) => ({
  id: rule.id,
  jurisdiction: rule.jurisdiction,
  source: rule.source,
  strength: rule.strength,
  verified_on: rule.verifiedOn,
});

function decisionView(decision: ExplainedDecision) {
  const basis = basisOf(decision.based_on);
  return {
    at: decision.at.toISOString(),
    decision: decision.outcome,
    message_id: publicId("message", decision.message_id),
    campaign_id: decision.campaign_id,
    kind: decision.kind,
    channel: decision.channel,
    rule: decision.source && ruleView(decision.source),
    reason: decision.reason,
    until: timeView(decision.until),
    attempt: decision.attempt === null ? null : { state: decision.attempt, error_code: decision.error_code },
    based_on: basis
      ? {
          profile: basis.profile,
          place: { zones: basis.zones, states: basis.states, basis: basis.placeBasis },
          attempts_before: basis.attemptsBefore,
        }
      : null,
  };
}
