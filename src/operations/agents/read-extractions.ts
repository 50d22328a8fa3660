import { shownCell } from "#domain/values/csv-cell.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type TextPageRequest, textPageKey, textPageOf } from "#domain/values/page-key.ts";
import { LAST_ID, type Page } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as agents from "#store/agents/agents.ts";
import type { ExtractionFilter, FoundExtraction } from "#store/agents/found-extractions.ts";
import * as foundExtractions from "#store/agents/found-extractions.ts";
import * as calls from "#store/calls/calls.ts";

export type { FoundExtraction };

/** The parts of a page key: a time in milliseconds, and an id. */
export const EXTRACTIONS_KEY = [/^\d{1,15}$/, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/] as const;

/** With the caller's own id of a campaign. */
export type ExtractionQuery = Omit<ExtractionFilter, "campaignId"> & {
  organizationId: Uuid;
  campaignId: string | undefined;
};

/**
 * What was found out in an organization's conversations and calls, newest first. What is rare comes in pages that are not full, or are empty, and yet
 * have a next one: a page looks at so many and no more. 404 without the organization, campaign or agent.
 */
export async function searchExtractions(
  ctx: Context,
  caller: Caller,
  query: ExtractionQuery & TextPageRequest,
): Promise<Page<FoundExtraction>> {
  const filter = await filterOf(ctx, caller, query);
  const [at, id] = query.after ?? [];
  const before = { at: at === undefined ? ("infinity" as const) : new Date(Number(at)), id: id ?? LAST_ID };
  const page = { before, limit: query.limit };
  const { rows, cut } = await foundExtractions.list(ctx.db, caller.tenantId, query.organizationId, page, filter);
  const full = textPageOf(rows, query.limit, keyOf);
  return full.hasMore || cut === undefined ? full : { ...full, hasMore: true, nextKey: textPageKey(keyOf(cut)) };
}

const keyOf = (row: Pick<FoundExtraction, "at" | "id">): readonly string[] => [String(row.at.getTime()), row.id];

/** What has a value, each with the words that it was taken from. */
export const valuesOf = ({ fields, evidence }: Pick<FoundExtraction, "fields" | "evidence">) =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === "" ? [] : [{ name, value: String(value), quote: evidence[name]?.quote ?? null }],
  );

/** Rows a statement: what is kept in memory for a slow reader. */
const ROWS_A_PAGE = 500;

const HEADER = ["at", "channel", "phone_number", "contact_name", "campaign", "agent", "field", "value", "quote"];

/** The same as a table: a line for each field that has a value. */
export async function exportExtractions(ctx: Context, caller: Caller, query: ExtractionQuery) {
  const filter = await filterOf(ctx, caller, query);
  const read = (before: Before) =>
    foundExtractions.list(ctx.db, caller.tenantId, query.organizationId, { before, limit: ROWS_A_PAGE - 1 }, filter);
  return { header: HEADER, rows: linesOf(read) };
}

type Before = Parameters<typeof foundExtractions.list>[3]["before"];

async function* linesOf(
  read: (before: Before) => ReturnType<typeof foundExtractions.list>,
): AsyncGenerator<string[][]> {
  for (let before: Before | undefined = { at: "infinity", id: LAST_ID }; before; ) {
    const { rows, cut }: Awaited<ReturnType<typeof read>> = await read(before);
    if (rows.length > 0) yield rows.flatMap(linesOfRow);
    before = rows.length === ROWS_A_PAGE ? rows.at(-1) : cut;
  }
}

function linesOfRow(row: FoundExtraction): string[][] {
  const who = [row.phone, row.contact_name, row.campaign_name ?? row.campaign, row.agent_name];
  const start = [row.at.toISOString(), row.channel, ...who.map((cell) => cell ?? "")];
  return valuesOf(row).map(({ name, value, quote }) => [...start, name, value, quote ?? ""].map(shownCell));
}

async function filterOf(ctx: Context, { tenantId }: Caller, query: ExtractionQuery): Promise<ExtractionFilter> {
  const { organizationId, campaignId, agentId, ...rest } = query;
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  const campaign = campaignId === undefined ? undefined : await calls.campaign(ctx.db, tenantId, campaignId);
  if (campaignId !== undefined && campaign === undefined) throw notFound("Campaign");
  if (agentId !== undefined && !(await agents.find(ctx.db, tenantId, agentId))) throw notFound("Agent");
  return { ...rest, campaignId: campaign, agentId };
}
