import type { VoiceAgent } from "#domain/agents/agent.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { contactZone, placeOf } from "#domain/phones/place.ts";
import { NO_ID } from "#domain/values/id.ts";
import { callLine, isAccount } from "#operations/carriers.ts";
import type { Context } from "#operations/context.ts";
import type { IncomingCall } from "#ports/call-line.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as agents from "#store/agents/agents.ts";
import * as callClock from "#store/calls/clock.ts";
import * as inboundCalls from "#store/calls/inbound-calls.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import { hold } from "./hold.ts";
import { roomOfLent } from "./lent-calls.ts";
import { modeOf, nameOf, textedBefore } from "./plans.ts";

/**
 * Accepts a call to one of our numbers: the agent that the number is linked to answers, else the one that called this contact last from it, with the
 * conversation so far. Rejected where no agent answers the number, its organization is archived or this process has no capacity. Safe to repeat: a carrier's id counts once.
 */
export async function answerCall(ctx: Context, call: IncomingCall): Promise<"known" | undefined> {
  const { tenantId, carrier, carrierId } = call;
  const { mode } = await tenants.clock(ctx.db, tenantId);
  const line = await callLine(ctx, ctx.db, { tenantId, mode }, carrier);
  const from = normalizePhone(call.from);
  const phone = "phone" in from ? from.phone : call.from;
  const refuse = (code: "404" | "480" | "603"): undefined => void call.refuse(code);
  if (!line) return refuse("603");
  if (await inboundCalls.isKnown(ctx.db, tenantId, carrier, carrierId)) return "known";
  const lent = isAccount(carrier) ? await carrierAccounts.lentCalls(ctx.db, tenantId, carrier) : undefined;
  if (lent?.callsAtOnce === null) return refuse("603");
  const found = await inboundCalls.agentOf(ctx.db, tenantId, call.to, phone);
  if (!found) return refuse("404");
  if (found.archived_at !== null || line.room("inbound") < 1) return refuse("480");
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const before = await inboundCalls.conversationWith(ctx.db, tenantId, call.to, phone);
  const contact = await inboundCalls.contactOf(ctx.db, tenantId, found.organization_id, phone);
  const fields = contact?.fields ?? {};
  const callId = ctx.newId();
  const [startAt] = await callClock.take(ctx.db, tenantId, now, 1);
  const plan: CallPlan = {
    callId,
    tenantId,
    ref: callId,
    mode: modeOf(carrier),
    direction: "inbound",
    purpose: "single",
    n: 0,
    number: call.to,
    contactPhone: phone,
    campaign: "",
    agent: (await agents.configOf(ctx.db, tenantId, found.id, found.version)) as VoiceAgent,
    organization: await nameOf(ctx, tenantId, found.organization_id),
    ...(before?.objective ? { objective: before.objective } : {}),
    contact: { ...fields, phone_number: phone },
    contactZone: contactZone(placeOf({ phone, fields }, ctx.numberPlan)),
    ...(await textedBefore(ctx, tenantId, before?.campaign_id ?? NO_ID, before?.thread_id ?? null)),
    now: now.toISOString(),
    clockOffsetMs: now.getTime() - ctx.now().getTime(),
  };
  // Last: a call row without a process that holds the call would stay open until recovery finds it.
  const taken = {
    id: callId,
    organizationId: found.organization_id,
    userId: found.user_id,
    contactId: contact?.id ?? null,
    carrier,
    carrierId,
    agentId: found.id,
    agentVersion: found.version,
    number: call.to,
    phone,
    startAt: startAt!,
    now,
    nodeId: ctx.node.id,
    attestation: call.attestation ?? null,
  };
  const callsAtOnce = lent?.callsAtOnce;
  const isNew = callsAtOnce
    ? await ctx.db.transaction(async (tx) => {
        const times = { now: ctx.now(), tenantNow: now };
        const room = await roomOfLent(tx, tenantId, { carrier, callsAtOnce }, times);
        return room < 1 ? "full" : inboundCalls.insert(tx, tenantId, taken);
      })
    : await inboundCalls.insert(ctx.db, tenantId, taken);
  if (isNew === "full") return refuse("480");
  if (!isNew) return "known";
  hold(ctx, plan, undefined, line, (on) => call.answer(plan, on));
  return undefined;
}
