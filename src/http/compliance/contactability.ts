import * as contract from "#contract/compliance/contactability.ts";
import { LONGEST_CAP_MS } from "#domain/compliance/attempt-cap.ts";
import type { RuleSource } from "#domain/compliance/rule.ts";
import { basisOf } from "#domain/sending/gate-facts.ts";
import { publicId } from "#domain/values/id.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { timeView } from "#http/server/views.ts";
import {
  type ExplainedDecision,
  getContactability,
  HISTORY_KEY,
  listContactDecisions,
} from "#operations/compliance/read-contactability.ts";

const HOUR_MS = 3_600_000;

export function contactabilityRoutes(edge: Edge): void {
  route(edge, contract.getContactability, async ({ ctx, caller, query }) => {
    const channel = query.channel ?? "sms";
    const campaignId = query.campaign_id;
    const it = await getContactability(ctx, caller, { phoneNumber: query.phone_number, channel, campaignId });
    const { decision, attempts } = it;
    const last = attempts.map(({ at }) => at.getTime()).sort((a, b) => b - a)[0];
    return {
      phone_number: it.phone,
      channel,
      campaign_id: campaignId ?? null,
      checked_at: it.checkedAt.toISOString(),
      allowed: decision.outcome === "allowed",
      decision: decision.outcome,
      until: decision.outcome === "blocked" ? null : timeView(decision.until),
      next_at: decision.outcome === "allowed" ? it.checkedAt.toISOString() : timeView(it.nextAt),
      rule: it.rule && ruleView(it.rule),
      reason: decision.outcome === "blocked" ? decision.reason : null,
      profile: it.profile,
      place: it.place,
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
}

const ruleView = (it: RuleSource) => ({
  id: it.id,
  jurisdiction: it.jurisdiction,
  source: it.source,
  strength: it.strength,
  verified_on: it.verifiedOn,
});

function decisionView(it: ExplainedDecision) {
  const basis = basisOf(it.based_on);
  return {
    at: it.at.toISOString(),
    decision: it.outcome,
    message_id: publicId("message", it.message_id),
    campaign_id: it.campaign_id,
    kind: it.kind,
    channel: it.channel,
    rule: it.source && ruleView(it.source),
    reason: it.reason,
    until: timeView(it.until),
    attempt: it.attempt === null ? null : { state: it.attempt, error_code: it.error_code },
    based_on: basis
      ? {
          profile: basis.profile,
          place: { zones: basis.zones, states: basis.states, basis: basis.placeBasis },
          attempts_before: basis.attemptsBefore,
        }
      : null,
  };
}
