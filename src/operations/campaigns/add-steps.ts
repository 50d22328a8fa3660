import { MAX_LEADS } from "#contract/contacts/contacts.ts";
import type { renamer } from "#contract/values/names.ts";
import { warned } from "#contract/values/unknown-names.ts";
import { refuseArchived } from "#domain/accounts/organization.ts";
import type { Agent } from "#domain/agents/agent.ts";
import { missingFields } from "#domain/campaigns/missing-fields.ts";
import { type Lead, uniqueByPhone } from "#domain/contacts/lead.ts";
import { readLeadBody } from "#domain/contacts/lead-body.ts";
import { sortOut } from "#domain/contacts/left-out.ts";
import { zoneWarning } from "#domain/contacts/zone-warning.ts";
import { type FieldProblem, failure, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { rethrowNamed } from "#domain/values/named-fault.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as agents from "#store/agents/agents.ts";
import { type Campaign, grow } from "#store/campaigns/campaigns.ts";
import * as campaignLeads from "#store/campaigns/leads.ts";
import * as leftOutLeads from "#store/campaigns/left-out.ts";
import * as leadConsents from "#store/compliance/lead-consents.ts";
import * as audience from "#store/contacts/audience.ts";
import type { Tx } from "#store/database/db.ts";
import * as preflights from "#store/sending/preflight.ts";

/** When leads are added: now, and when they are to be contacted. The tenant's time. */
export type Times = { now: Date; dueAt: Date };
/** `requeued` are leads that were in the campaign and are to be contacted after all. */
export type Added = { added: number; requeued?: number };

type Into = Pick<
  Campaign,
  "id" | "campaign_id" | "organization_id" | "sender" | "begin_at" | "agent_id" | "agent_version"
>;

/** What differs between campaigns of texts and of calls when leads are added to one. */
export type Channel<Target extends Into, Body extends audience.Audience> = {
  /** The body's field that has the leads. */
  field: "clients" | "leads";
  /** The body by the names that we know its fields by. */
  renamed: ReturnType<typeof renamer>;
  problemsOf(body: unknown): readonly FieldProblem[];
  /** What of the body is ignored. */
  warningsOf(body: unknown): string[];
  living(tx: Tx, tenantId: Uuid, campaignId: string): Promise<Target>;
  /** Before the transaction: checks the rest of the body and reads what it needs. `config` is the agent's, of the campaign's version. */
  prepare(ctx: Context, tenantId: Uuid, campaign: Target, given: { body: Body; config: Agent }): Promise<Prepared>;
};

export type Prepared = {
  /** Stores the leads, each phone once, and wakes the lane. */
  store(tx: Tx, leads: readonly Lead[], times: Times): Promise<Added>;
  /** Last, with the campaign's row locked by the count of its new leads. */
  finish?(tx: Tx, done: Added, now: Date): Promise<void>;
  details(done: Added & { skipped: number }): Record<string, number>;
};

/** The campaign was changed after it was read: its leads would be planned for the former agent. */
class Edited extends Error {}

const MOST_TRIES = 4;

/** Adds leads to a campaign, all or nothing: a phone that is in it and a lead without a usable one are skipped and counted. 409 where the campaign's organization is archived. Safe to repeat. */
export async function add<Target extends Into, Body extends audience.Audience>(
  ...given: Parameters<typeof addOnce<Target, Body>>
): Promise<Record<string, unknown>> {
  for (let tries = 1; ; tries++) {
    try {
      return await addOnce(...given);
    } catch (error) {
      if (!(error instanceof Edited)) throw error;
      if (tries === MOST_TRIES) throw failure("conflict", "The campaign is being changed: add the leads again");
    }
  }
}

async function addOnce<Target extends Into, Body extends audience.Audience>(
  channel: Channel<Target, Body>,
  ctx: Context,
  { tenantId }: Caller,
  campaignId: string,
  bytes: Uint8Array,
): Promise<Record<string, unknown>> {
  const { field, renamed, problemsOf } = channel;
  type Given = Body & Partial<Record<typeof field, unknown[]>>;
  const read = readLeadBody<Given>(bytes, { field, most: MAX_LEADS, tenantId, renamed, problemsOf });
  const { body } = read;
  const campaign = await channel.living(ctx.db, tenantId, campaignId);
  const { taken, leftOut } = sortOut(read, { items: body[field] ?? [], field, own: [campaign.sender] });
  const from = { organizationId: campaign.organization_id, most: MAX_LEADS };
  const stored = await audience.read(ctx.db, tenantId, body, from).catch((error) => rethrowNamed(error, body));
  const config = await agents.configOf(ctx.db, tenantId, campaign.agent_id, campaign.agent_version);
  const prepared = await channel.prepare(ctx, tenantId, campaign, { body, config });
  const total = stored.length + taken.length + leftOut.length;
  const { done, incomplete } = await ctx.db.transaction(async (tx) => {
    const organization = await organizations.hold(tx, tenantId, campaign.organization_id);
    if (organization) refuseArchived(organization);
    const present = await audience.lockPresent(tx, tenantId, stored);
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    const dueAt = campaign.begin_at !== null && campaign.begin_at > now ? campaign.begin_at : now;
    // A campaign that contacted its own number would answer itself for ever.
    const unique = uniqueByPhone([...present, ...taken]).filter(({ phone }) => phone !== campaign.sender);
    const lacking = unique.filter(missingFields(config).lacksAny);
    const known = await campaignLeads.statesOf(tx, tenantId, campaign.id, lacking);
    await leadConsents.bring(tx, tenantId, taken, { now, newId: ctx.newId });
    const done = await prepared.store(tx, unique, { now, dueAt });
    await leftOutLeads.insert(tx, tenantId, campaign.id, leftOut, ctx.newId);
    if (!(await grow(tx, tenantId, campaign.id, done.added, now))) throw notFound("Campaign");
    const { agent_id, agent_version, sender } = await channel.living(tx, tenantId, campaignId);
    if (agent_id !== campaign.agent_id || agent_version !== campaign.agent_version || sender !== campaign.sender)
      throw new Edited();
    await prepared.finish?.(tx, done, now);
    ctx.audit.note({
      object: { kind: "campaign", id: campaign.campaign_id },
      organizationId: campaign.organization_id,
      counts: { leads: total, added: done.added, requeued: done.requeued ?? 0 },
    });
    // Who is in the campaign is skipped, and called after all only where the campaign's end had come before.
    const isSkipped = (state: string | undefined) => state !== undefined && (state !== "expired" || !done.requeued);
    return { done, incomplete: lacking.filter(({ phone }) => !isSkipped(known.get(phone))) };
  });
  const wording = { organizationId: campaign.organization_id, config };
  const missing = await preflights.missingOf(ctx.db, tenantId, wording, incomplete);
  const { added, requeued = 0 } = done;
  const answer = {
    message: `${added} lead${added === 1 ? "" : "s"} added`,
    campaign_id: campaign.campaign_id,
    details: prepared.details({ ...done, skipped: total - added - requeued }),
    left_out: leftOut,
  };
  return warned(answer, [
    ...channel.warningsOf(body),
    ...missing.warnings({ given: taken, field }),
    ...zoneWarning(taken, field),
  ]);
}
