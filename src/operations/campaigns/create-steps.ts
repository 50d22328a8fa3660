import { createHash } from "node:crypto";
import { MAX_LEADS } from "#contract/contacts/contacts.ts";
import type { renamer } from "#contract/values/names.ts";
import { warned } from "#contract/values/unknown-names.ts";
import { refuseArchived } from "#domain/accounts/organization.ts";
import { type Lead, uniqueByPhone } from "#domain/contacts/lead.ts";
import { missingLeads, readLeadBody } from "#domain/contacts/lead-body.ts";
import { type LeftOut, refuseNobody, sortOut } from "#domain/contacts/left-out.ts";
import { canonicalJson } from "#domain/values/canonical.ts";
import { conflict, type FieldProblem, notFound } from "#domain/values/errors.ts";
import { base32, type Uuid } from "#domain/values/id.ts";
import { rethrowNamed } from "#domain/values/named-fault.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as users from "#store/accounts/users.ts";
import * as agents from "#store/agents/agents.ts";
import * as calls from "#store/calls/calls.ts";
import * as audience from "#store/contacts/audience.ts";
import { isUniqueViolation, type Tx } from "#store/database/db.ts";
import * as preflights from "#store/sending/preflight.ts";

export type Answer = Record<string, unknown>;
/** What a new campaign is known by: its id, and the hash of the body that made it. */
export type Named = { campaignId: string; bodyHash: Buffer };

type WithBody = Pick<Given<{ campaign_id?: string }>, "body" | "leftOut">;
type WithHash = { body_hash: Buffer };

/** What differs between texts and calls when a campaign is created. */
export type Channel<Asked extends WithBody, Plan, Known extends WithHash> = {
  kind: "sms" | "voice";
  /** Reads the request, and says what is wrong with it by itself. */
  read(ctx: Context, caller: Caller, bytes: Uint8Array): Promise<Asked>;
  /** What of the body is ignored. */
  warningsOf(body: unknown): string[];
  find(tx: Tx, tenantId: Uuid, campaignId: string): Promise<Known | undefined>;
  /** Checks that everything that the campaign names exists, belongs to the tenant and fits together. */
  plan(ctx: Context, caller: Caller, asked: Asked): Promise<Plan>;
  /** Stores the campaign and its leads, all or nothing, and enqueues its lane's job. */
  store(ctx: Context, caller: Caller, plan: Plan, named: Named): Promise<Answer>;
  /** The answer to the creation once more, whatever leads have been added since. */
  repeated(asked: Asked, known: Known): Answer;
  /** What of the campaign will not work as the request says: of a plan, or of the campaign of an earlier request. */
  cautions(ctx: Context, caller: Caller, asked: Asked, campaign: Plan | Known): Promise<string[]>;
  /** What `store` would do. Stores nothing. */
  preflight(ctx: Context, caller: Caller, plan: Plan): Promise<Answer>;
};

/**
 * Creates a campaign with its leads. The same campaign_id with the same body answers as the first time and does nothing; with another body it is a
 * 409. Takes the request's bytes: with 100,000 leads it runs in a thread of its own.
 */
export async function create<Asked extends WithBody, Plan, Known extends WithHash>(
  channel: Channel<Asked, Plan, Known>,
  ctx: Context,
  caller: Caller,
  bytes: Uint8Array,
): Promise<Answer> {
  const asked = await channel.read(ctx, caller, bytes);
  const { answer, cautions } = await createAsked(channel, ctx, caller, asked).catch((error) =>
    rethrowNamed(error, asked.body),
  );
  return warned(answer, [...channel.warningsOf(asked.body), ...cautions]);
}

async function createAsked<Asked extends WithBody, Plan, Known extends WithHash>(
  channel: Channel<Asked, Plan, Known>,
  ctx: Context,
  caller: Caller,
  asked: Asked,
): Promise<{ answer: Answer; cautions: string[] }> {
  const { body } = asked;
  const bodyHash = hashOf(body);
  const campaignId = body.campaign_id ?? `${channel.kind}_campaign_${base32(caller.newId())}`;
  const repeat = async (known: Known) => {
    if (!known.body_hash.equals(bodyHash)) throw conflict(OTHER_BODY, "campaign_id");
    return { answer: channel.repeated(asked, known), cautions: await channel.cautions(ctx, caller, asked, known) };
  };
  const known = body.campaign_id === undefined ? undefined : await channel.find(ctx.db, caller.tenantId, campaignId);
  if (known) return repeat(known);
  const plan = await channel.plan(ctx, caller, asked);
  // Before it is stored: a failure would otherwise be answered for a campaign that is there.
  const cautions = await channel.cautions(ctx, caller, asked, plan);
  try {
    return { answer: await channel.store(ctx, caller, plan, { campaignId, bodyHash }), cautions };
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Of two requests at once with the same id, the one that lost answers like a repeat. Or a campaign of the other channel has the id.
    const winner = await channel.find(ctx.db, caller.tenantId, campaignId);
    if (!winner) throw conflict(OF_ANOTHER, "campaign_id");
    return repeat(winner);
  }
}

/** Reports what creating a campaign with this body would do: the same checks, the same errors. Runs where a create runs. */
export async function preflight<Asked extends WithBody, Plan, Known extends WithHash>(
  channel: Channel<Asked, Plan, Known>,
  ctx: Context,
  caller: Caller,
  bytes: Uint8Array,
): Promise<Answer> {
  const asked = await channel.read(ctx, caller, bytes);
  const isThere = await campaignIsThere(channel, ctx, caller, asked);
  const plan = await channel.plan(ctx, caller, asked).catch((error) => rethrowNamed(error, asked.body));
  const answer = { preflight: await channel.preflight(ctx, caller, plan), left_out: asked.leftOut };
  const cautions = await channel.cautions(ctx, caller, asked, plan);
  return warned(answer, [...channel.warningsOf(asked.body), ...(isThere ? [THERE] : []), ...cautions]);
}

/** Whether a create would find the campaign made by the same body; 409 where it would find another of this campaign_id. */
async function campaignIsThere<Asked extends WithBody, Plan, Known extends WithHash>(
  channel: Channel<Asked, Plan, Known>,
  ctx: Context,
  { tenantId }: Caller,
  { body }: Asked,
): Promise<boolean> {
  const { campaign_id } = body;
  if (campaign_id === undefined) return false;
  const known = await channel.find(ctx.db, tenantId, campaign_id);
  if (known && !known.body_hash.equals(hashOf(body))) throw conflict(OTHER_BODY, "campaign_id");
  if (!known && (await calls.campaign(ctx.db, tenantId, campaign_id))) throw conflict(OF_ANOTHER, "campaign_id");
  return known !== undefined;
}

const THERE = "campaign_id is that of a campaign made by the same body: creating it again changes nothing";
const OTHER_BODY = "campaign_id exists with another body";
const OF_ANOTHER = "campaign_id is that of another campaign of this tenant";

const hashOf = (body: unknown): Buffer => createHash("sha256").update(canonicalJson(body)).digest();

/** A request, the leads in it that the campaign takes, and the others. */
export type Given<Body> = { body: Body; taken: Lead[]; leftOut: LeftOut[] };

type Field = "contacts" | "leads";

/** Reads a body whose leads are in this field, unless it names stored ones; `own` are the numbers that the campaign uses. */
export function readBody<Body>(
  caller: Caller,
  bytes: Uint8Array,
  wanted: {
    field: Field;
    renamed: ReturnType<typeof renamer>;
    problemsOf(body: unknown): readonly FieldProblem[];
    own(body: Body): readonly string[];
  },
): Given<Body> {
  const { field } = wanted;
  const read = readLeadBody<Body & Partial<Record<Field, unknown[]>>>(bytes, {
    field,
    most: MAX_LEADS,
    tenantId: caller.tenantId,
    renamed: wanted.renamed,
    problemsOf: (value) => [...wanted.problemsOf(value), ...missingLeads(value, field)],
  });
  const { body } = read;
  return { body, ...sortOut(read, { items: body[field] ?? [], field, own: wanted.own(body) }) };
}

/** 400 for a campaign that nobody would be in. */
export function requireSomebody({ leads }: Contacts, { body, leftOut }: Given<audience.Audience>, field: Field): void {
  refuseNobody(leads.length, { field, leftOut, listed: body.list_id !== undefined });
}

export type Contacts = {
  /** Each phone once, but none of the campaign's own numbers. */
  leads: Lead[];
  /** Their sources: stored contacts, and those in the body, each phone once, which bring their consents along. */
  stored: audience.StoredLead[];
  given: Lead[];
  /** How many of them can be contacted, and how many were named; both count repetitions. */
  usable: number;
  total: number;
};

/** The body's fields of a contact take precedence over the stored ones. */
export async function readContacts(
  ctx: Context,
  tenantId: Uuid,
  { body, taken: given, leftOut }: Given<audience.Audience>,
  { organizationId, numbers }: { organizationId: Uuid; numbers: readonly string[] },
): Promise<Contacts> {
  const stored = await audience.read(ctx.db, tenantId, body, { organizationId, most: MAX_LEADS });
  const usable = withoutOwn([...stored, ...given], numbers);
  const repeated = leftOut.filter(({ reason }) => reason === "duplicate").length;
  const total = stored.length + given.length + leftOut.length;
  return { leads: uniqueByPhone(usable), stored, given, usable: usable.length + repeated, total };
}

/** A campaign that contacted its own number would answer itself for ever. */
export const withoutOwn = (leads: readonly Lead[], numbers: readonly string[]): Lead[] =>
  leads.filter(({ phone }) => !numbers.includes(phone));

/** The organization and the user of a new campaign, or a 404; a 409 where the organization is archived. */
export async function findOwners(ctx: Context, tenantId: Uuid, organizationId: Uuid, userId: Uuid) {
  const [organization, user] = await Promise.all([
    organizations.find(ctx.db, tenantId, organizationId),
    users.find(ctx.db, tenantId, userId),
  ]);
  if (!organization) throw notFound("Organization");
  if (!user) throw notFound("User");
  refuseArchived(organization);
  return { organization, user };
}

/** The first locks of a creation: the organization, which is not archived before the commit, the leads that are still there, each phone once, and the agent. */
export async function hold(
  tx: Tx,
  tenantId: Uuid,
  sources: {
    organizationId: Uuid;
    stored: readonly audience.StoredLead[];
    brought: readonly Lead[];
    numbers: readonly string[];
  },
  agent: { id: Uuid; noun: string },
) {
  const organization = await organizations.hold(tx, tenantId, sources.organizationId);
  if (!organization) throw notFound("Organization");
  refuseArchived(organization);
  const present = await audience.lockPresent(tx, tenantId, sources.stored);
  const leads = uniqueByPhone(withoutOwn([...present, ...sources.brought], sources.numbers));
  // The agent may have been deleted, or given a new version, since it was read.
  const held = await agents.hold(tx, tenantId, agent.id);
  if (!held) throw notFound(agent.noun);
  return { leads, held };
}

/** Adds every contact to a preflight, in pieces. */
export async function assessAll(
  ctx: Context,
  tenantId: Uuid,
  campaign: preflights.PreflightCampaign,
  { leads, usable, total }: Contacts,
  begun: Pick<preflights.Begun, "check" | "startsAt">,
): Promise<void> {
  begun.check.skip("invalid_number", total - usable);
  begun.check.skip("duplicate", usable - leads.length);
  const rules = { ...ctx, checksReassigned: ctx.reassignedNumbers !== undefined };
  for (const piece of piecesOf(leads, preflights.PREFLIGHT_BATCH)) {
    const recipients = await preflights.withKnownFields(ctx.db, tenantId, campaign.organizationId, piece);
    await preflights.assess(ctx.db, tenantId, campaign, recipients, rules, begun);
  }
}
