import type { Contact } from "#domain/contacts/contact.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import { shownCell } from "#domain/values/csv-cell.ts";
import { notFound } from "#domain/values/errors.ts";
import { NO_ID, publicId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as leftOut from "#store/campaigns/left-out.ts";
import * as voiceCampaigns from "#store/campaigns/voice-campaigns.ts";
import * as exports from "#store/contacts/exports.ts";

/** Rows a statement: what is kept in memory for a slow reader. */
const ROWS_A_PAGE = 1_000;
/** Rows a statement where only names are read. */
const NAMES_A_PAGE = 20_000;

/** A table for a file: its rows are yielded as they are read, a page at a time. */
export type Table = { header: string[]; rows: AsyncIterable<string[][]> };

/** Every contact of an organization, with all the fields that any of them has. 404 for an unknown organization. */
export async function exportContacts(ctx: Context, caller: Caller, organizationId: Uuid): Promise<Table> {
  const { tenantId } = caller;
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  const names = await namesOf((after) =>
    exports.contactFieldNames(ctx.db, tenantId, organizationId, after ?? "", NAMES_A_PAGE),
  );
  const page = (after: Contact | undefined) =>
    exports.contacts(ctx.db, tenantId, organizationId, after?.phone ?? "", ROWS_A_PAGE);
  return {
    header: ["unique_id", "phone_number", ...names, "created_at", "updated_at"].map(shownCell),
    rows: pagesOf(page, (recipient) => [
      publicId("contact", recipient.id),
      recipient.phone,
      ...cellsOf(recipient.fields, names),
      recipient.created_at.toISOString(),
      recipient.updated_at.toISOString(),
    ]),
  };
}

/** The columns of a recipient that come before the contact's own fields. */
type OwnCells = readonly (readonly [name: string, cell: (recipient: exports.ExportedRecipient) => string])[];

const noteOf = ({ at, author, text }: exports.ExportedRecipient["notes"][number]): string =>
  `${new Date(at).toISOString()} ${author ?? "API key"}: ${text}`;

const OF_ALL: OwnCells = [
  ["unique_id", (recipient) => publicId("contact", recipient.contact_id)],
  ["phone_number", (recipient) => recipient.phone],
  ["state", (recipient) => recipient.state],
  ["reason", (recipient) => recipient.reason ?? ""],
];
const OF_TEXTS: OwnCells = [
  ...OF_ALL,
  ["first_sent_at", (recipient) => recipient.first_sent_at?.toISOString() ?? ""],
  ["last_inbound_at", (recipient) => recipient.last_inbound_at?.toISOString() ?? ""],
  ["outcome", (recipient) => recipient.outcome ?? ""],
  ["assignee", (recipient) => recipient.assignee ?? ""],
  ["notes", (recipient) => recipient.notes.map(noteOf).join("\n")],
];
/** Of leads that the campaign did not take: their place in the request, and why in words. They come last. */
const OF_LEFT_OUT = ["index", "error"] as const;
const OF_CALLS: OwnCells = [
  ...OF_ALL,
  ["last_answered_at", (recipient) => recipient.called_at?.toISOString() ?? ""],
  ["last_call", (recipient) => recipient.call_outcome ?? ""],
];

/** Every recipient of a campaign with its state, and every lead that was left out. 404 for an unknown campaign. */
export async function exportCampaignLeads(ctx: Context, caller: Caller, campaignId: string): Promise<Table> {
  const campaign = await campaigns.find(ctx.db, caller.tenantId, campaignId);
  if (!campaign) throw notFound("Campaign");
  return recipientTable(ctx, caller, campaign, OF_TEXTS);
}

/** The same of a voice campaign, with how each one's last call ended. */
export async function exportVoiceCampaignLeads(ctx: Context, caller: Caller, campaignId: string): Promise<Table> {
  const campaign = await voiceCampaigns.find(ctx.db, caller.tenantId, campaignId);
  if (!campaign) throw notFound("Campaign");
  return recipientTable(ctx, caller, campaign, OF_CALLS);
}

async function recipientTable(
  ctx: Context,
  { tenantId }: Caller,
  campaign: { id: Uuid },
  cells: OwnCells,
): Promise<Table> {
  const names = await namesOf((after) =>
    exports.recipientFieldNames(ctx.db, tenantId, campaign.id, after ?? NO_ID, NAMES_A_PAGE),
  );
  const page = (after: exports.ExportedRecipient | undefined) =>
    exports.recipients(ctx.db, tenantId, campaign.id, after?.id ?? NO_ID, ROWS_A_PAGE);
  const own = [...cells.map(([name]) => name), ...OF_LEFT_OUT];
  const recipients = pagesOf(page, (recipient) => [
    ...cells.map(([, cell]) => cell(recipient)),
    ...OF_LEFT_OUT.map(() => ""),
    ...cellsOf(recipient.fields, names),
  ]);
  const leftOutPage = (after: leftOut.Kept | undefined) =>
    leftOut.following(ctx.db, tenantId, campaign.id, after?.id ?? NO_ID, ROWS_A_PAGE);
  const left = pagesOf(leftOutPage, ({ value, reason, index, error }) => {
    const known: Record<string, string> = { phone_number: value ?? "", state: "invalid", reason };
    const blanks = names.map(() => "");
    return [...cells.map(([name]) => known[name] ?? ""), String(index), error, ...blanks];
  });
  return {
    // A contact's own field may have the name of one of these columns.
    header: [...own, ...names.map((name) => (own.includes(name) ? `contact.${name}` : name))].map(shownCell),
    rows: oneAfterAnother(recipients, left),
  };
}

/** The names of all fields, in alphabetical order. */
async function namesOf(page: (after: string | undefined) => Promise<exports.NamedFields>): Promise<string[]> {
  const all = new Set<string>();
  let after: string | undefined;
  do {
    const { names, last } = await page(after);
    for (const name of names) all.add(name);
    after = last ?? undefined;
  } while (after !== undefined);
  return [...all].sort();
}

const cellsOf = (fields: LeadFields, names: readonly string[]): string[] =>
  names.map((name) => (Object.hasOwn(fields, name) ? String(fields[name]) : ""));

async function* oneAfterAnother<T>(...them: AsyncIterable<T>[]): AsyncGenerator<T> {
  for (const each of them) yield* each;
}

async function* pagesOf<T>(
  read: (after: T | undefined) => Promise<T[]>,
  cells: (row: T) => string[],
): AsyncGenerator<string[][]> {
  for (let page = await read(undefined); page.length > 0; page = await read(page.at(-1))) {
    yield page.map((row) => cells(row).map(shownCell));
  }
}
