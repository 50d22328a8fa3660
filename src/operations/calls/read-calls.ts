import { refuseForeign } from "#domain/accounts/organization.ts";
import { callClass, type Sentiment } from "#domain/calls/call.ts";
import { type CallPageRequest, callPageOf } from "#domain/calls/page.ts";
import { requirePhone } from "#domain/numbers/phone-number.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Page } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as users from "#store/accounts/users.ts";
import * as agents from "#store/agents/agents.ts";
import * as calls from "#store/calls/calls.ts";
import * as callSearch from "#store/calls/search.ts";
import * as singleDials from "#store/calls/single-dials.ts";

/** `scheduledFor`: when a waiting call is next considered; `because`: why one was never placed, or waits. */
type Waiting = { scheduledFor: Date | null; because: string | null };
export type ListedCall = calls.Call & calls.CallText & calls.CallNames & Waiting;
export type WholeCall = calls.Call & calls.CallDetail & calls.CallNames & Waiting;

const NOT_WAITING: Waiting = { scheduledFor: null, because: null };

export type CallFilter = {
  status: "connected" | "failed" | "voicemail" | "all" | undefined;
  sentiment: Sentiment | undefined;
};

/**
 * A page of a voice campaign's calls, newest first. The filters are applied to the page that was cut, so it may hold fewer
 * than its limit, or none, while more follow. 404 without the campaign; a deleted one keeps its calls.
 */
export async function listCampaignCalls(
  ctx: Context,
  caller: Caller,
  campaignId: string,
  wanted: CallPageRequest & CallFilter,
): Promise<Page<ListedCall>> {
  const { tenantId } = caller;
  const id = await calls.voiceCampaign(ctx.db, tenantId, campaignId);
  if (id === undefined) throw notFound("Campaign");
  const page = callPageOf(await calls.listOfCampaign(ctx.db, tenantId, id, wanted), wanted.limit);
  const items = page.items.filter((call) => passes(call, wanted));
  return { ...page, items: await withTexts(ctx, tenantId, items) };
}

function passes(call: calls.Call, { status = "all", sentiment }: CallFilter): boolean {
  if (sentiment !== undefined && call.sentiment !== sentiment) return false;
  return status === "all" || callClass({ durationMs: call.duration_ms, inVoicemail: call.in_voicemail }) === status;
}

/** Filters of an organization's calls: the caller's own id of a campaign, phone numbers in any notation. */
export type CallsWanted = CallPageRequest &
  Partial<Pick<callSearch.CallSearch, "status" | "outcome" | "sentiment" | "begin" | "end">> & {
    organizationId: Uuid;
    userId: Uuid | undefined;
    isAdmin: boolean;
    campaignId?: string | undefined;
    /** Either id of a voice agent. */
    agentId?: string | undefined;
    digits?: string | undefined;
    phone?: string | undefined;
    number?: string | undefined;
  };

/**
 * A page of an organization's calls of every kind, newest first, with the single calls that wait or were never placed; with `userId` those of a user. `isAdmin` widens that to all users' calls for a key
 * of the scope `admin`, and has no effect for any other. Filters are applied before the page is cut. 404 without the organization, user, campaign or agent,
 * 400 for a user of another organization and for an invalid number.
 */
export async function listCalls(ctx: Context, caller: Caller, wanted: CallsWanted): Promise<Page<ListedCall>> {
  const { tenantId } = caller;
  const { organizationId, userId } = wanted;
  const [organization, user] = await Promise.all([
    organizations.find(ctx.db, tenantId, organizationId),
    userId && users.find(ctx.db, tenantId, userId),
  ]);
  if (!organization) throw notFound("Organization");
  if (userId && !user) throw notFound("User");
  if (user) refuseForeign(organizationId, { user_id: user });
  const ofAll = wanted.isAdmin && caller.scopes.includes("admin");
  const search = await searchOf(ctx, caller, { ...wanted, userId: ofAll ? undefined : userId });
  // Before the calls: one that is dialled in between is then in both, and not in neither.
  const waiting = (await singleDials.find(ctx.db, tenantId, organizationId, search)).map(undialed);
  const placed = await found(ctx, tenantId, organizationId, search);
  const known = new Set(placed.map(({ id }) => id));
  const all = [...placed, ...waiting.filter(({ id }) => !known.has(id))];
  all.sort((a, b) => b.start_at.getTime() - a.start_at.getTime());
  const page = callPageOf(all.slice(0, wanted.limit + 1), wanted.limit);
  const texts = new Map((await withTexts(ctx, tenantId, page.items.filter(hasRow))).map((call) => [call.id, call]));
  return { ...page, items: page.items.map((call) => (hasRow(call) ? texts.get(call.id)! : call)) };
}

const hasRow = (call: calls.Call | ListedCall): call is calls.Call => !("because" in call);

type Search = callSearch.CallSearch & CallPageRequest;

async function searchOf(ctx: Context, { tenantId }: Caller, wanted: CallsWanted): Promise<Search> {
  const { userId, campaignId, agentId, phone, digits, number, status, outcome, sentiment, begin, end } = wanted;
  const filters = {
    ...{ userId, digits, status, outcome, sentiment, begin, end },
    phone: phone === undefined ? undefined : requirePhone("phone_number", phone),
    number: number === undefined ? undefined : requirePhone("own_number", number),
    campaignId: campaignId === undefined ? undefined : await calls.campaign(ctx.db, tenantId, campaignId),
    agentId: agentId === undefined ? undefined : (await agents.findByAnyId(ctx.db, tenantId, agentId))?.id,
  };
  if (campaignId !== undefined && filters.campaignId === undefined) throw notFound("Campaign");
  if (agentId !== undefined && filters.agentId === undefined) throw notFound("Agent");
  return { ...filters, limit: wanted.limit, before: wanted.before };
}

function found(ctx: Context, tenantId: Uuid, organizationId: Uuid, search: Search): Promise<calls.Call[]> {
  const { userId, limit: _, before: __, ...others } = search;
  if (Object.values(others).some((value) => value !== undefined)) {
    return callSearch.find(ctx.db, tenantId, organizationId, search);
  }
  return userId === undefined
    ? calls.listOfOrganization(ctx.db, tenantId, organizationId, search)
    : calls.listOfUser(ctx.db, tenantId, userId, search);
}

async function withTexts(ctx: Context, tenantId: Uuid, items: readonly calls.Call[]): Promise<ListedCall[]> {
  const ids = items.map((call) => call.id);
  const [texts, names] = await Promise.all([calls.texts(ctx.db, tenantId, ids), calls.names(ctx.db, tenantId, ids)]);
  return items.map((call) => ({
    ...call,
    ...(texts.get(call.id) ?? calls.NO_TEXT),
    ...(names.get(call.id) ?? calls.NO_NAMES),
    ...NOT_WAITING,
  }));
}

/** A call with its transcript, latencies and costs. */
export async function getCall(ctx: Context, caller: Caller, id: Uuid): Promise<WholeCall> {
  const [call, detail, names] = await Promise.all([
    calls.find(ctx.db, caller.tenantId, id),
    calls.detail(ctx.db, caller.tenantId, id),
    calls.names(ctx.db, caller.tenantId, [id]),
  ]);
  const named = names.get(id) ?? calls.NO_NAMES;
  if (call) return { ...call, ...(detail ?? calls.NO_DETAIL), ...named, ...NOT_WAITING };
  const dial = await singleDials.ofCall(ctx.db, caller.tenantId, id);
  if (!dial) throw notFound("Call");
  return undialed(dial);
}

/** A single call that has not been dialled, in the form of a call: waiting, or never to be placed. */
function undialed(dial: singleDials.SingleDial): WholeCall {
  const { call_id: id, organization_id, user_id, contact_id, contact_name, agent_name } = dial;
  const { carrier, agent_id, agent_version, number, phone } = dial;
  const isOver = dial.state === "suppressed" || dial.state === "expired" || dial.state === "cancelled";
  return {
    ...calls.NO_DETAIL,
    ...{
      id,
      organization_id,
      user_id,
      contact_id,
      contact_name,
      agent_name,
      carrier,
      agent_id,
      agent_version,
      number,
      phone,
    },
    campaign: null,
    campaign_name: null,
    direction: "outbound",
    purpose: "single",
    carrier_code: null,
    carrier_text: null,
    attestation: null,
    status: isOver ? "not_connected" : "registered",
    reason: dial.state === "cancelled" ? "manual_stopped" : null,
    answerer: null,
    in_voicemail: false,
    successful: false,
    sentiment: "Unknown",
    duration_ms: 0,
    start_at: dial.created_at,
    dialed_at: null,
    answered_at: null,
    end_at: null,
    stop_requested_at: null,
    scheduledFor: dial.due_at instanceof Date ? dial.due_at : null,
    because: dial.rule ?? dial.reason,
  };
}
