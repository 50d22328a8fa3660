import { reasonNow } from "#domain/campaigns/waiting.ts";
import type { RecipientState } from "#domain/messaging/message.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { invalidField, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as leftOutLeads from "#store/campaigns/left-out.ts";
import * as voiceCampaigns from "#store/campaigns/voice-campaigns.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";

/** So many are shown at most. */
const MOST_REASONS = 100;

/** A campaign by its channel and its caller's own id. Its records stay when it is deleted. */
export type Named = { channel: "sms" | "voice"; campaignId: string };

/** A page of a campaign's recipients, each as it is now; filters are by the state that is kept, which has no word for a call that goes on. */
export async function listRecipients(
  ctx: Context,
  caller: Caller,
  named: Named,
  query: PageRequest & threads.RecipientFilter,
): Promise<Page<threads.Recipient>> {
  const { id, status } = await campaignOf(ctx, caller, named);
  const wanted = { ...query, phone: wantedPhone(query.phone) };
  const page = pageOf(await threads.list(ctx.db, caller.tenantId, id, wanted), query.limit);
  const items = page.items.map((lead) =>
    named.channel === "voice" && lead.is_called && YET_TO_REACH.has(lead.state)
      ? { ...lead, state: "sending" as const, reason: null }
      : { ...lead, reason: reasonNow(lead.reason, status) },
  );
  return { ...page, items };
}

/** Who is called in one of these is being called now, whatever an earlier call came to or held this one. */
const YET_TO_REACH: ReadonlySet<RecipientState> = new Set(["scheduled", "held", "sent"]);

/** Whom the campaign did not take of the requests that brought leads. */
export async function listLeftOut(
  ctx: Context,
  caller: Caller,
  named: Named,
  query: PageRequest & Pick<threads.RecipientFilter, "reason" | "phone">,
): Promise<Page<leftOutLeads.Kept>> {
  const { id } = await campaignOf(ctx, caller, named);
  const wanted = { ...query, phone: wantedPhone(query.phone) };
  return pageOf(await leftOutLeads.list(ctx.db, caller.tenantId, id, wanted), query.limit);
}

type ReasonCount = Omit<threads.ReasonCount, "state"> & { state: threads.ReasonCount["state"] | "invalid" };

/** How many recipients are in which state for which reason, and how many leads were left out, the most first. */
export async function countReasons(ctx: Context, caller: Caller, named: Named): Promise<ReasonCount[]> {
  const { id, status } = await campaignOf(ctx, caller, named);
  const [recipients, leftOut] = await Promise.all([
    threads.reasonCounts(ctx.db, caller.tenantId, id),
    leftOutLeads.reasonCounts(ctx.db, caller.tenantId, id),
  ]);
  const counts = recipients.filter(({ reason }) => reasonNow(reason, status) !== null);
  const all = [...counts, ...leftOut.map((count) => ({ ...count, state: "invalid" as const }))];
  return all.sort((a, b) => b.n - a.n).slice(0, MOST_REASONS);
}

/** A campaign's messages, newest first; or those of one phone number, in any notation. */
export async function listMessages(
  ctx: Context,
  caller: Caller,
  campaignId: string,
  query: PageRequest & { state: string | undefined; phone: string | undefined },
): Promise<Page<messages.Message>> {
  const { id } = await campaignOf(ctx, caller, { channel: "sms", campaignId });
  const wanted = { ...query, phone: wantedPhone(query.phone) };
  return pageOf(await messages.ofCampaign(ctx.db, caller.tenantId, id, wanted), query.limit);
}

/** In any notation. */
function wantedPhone(text: string | undefined): string | undefined {
  const normal = text === undefined ? undefined : normalizePhone(text);
  if (normal && "problem" in normal) throw invalidField("phone_number", normal.problem);
  return normal?.phone;
}

async function campaignOf(
  ctx: Context,
  caller: Caller,
  { channel, campaignId }: Named,
): Promise<{ id: Uuid; status: string }> {
  const { find } = channel === "sms" ? campaigns : voiceCampaigns;
  const campaign = await find(ctx.db, caller.tenantId, campaignId);
  if (!campaign) throw notFound("Campaign");
  return campaign;
}
