import { shownCell } from "#domain/values/csv-cell.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
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

/** What was found out in an organization's conversations and calls, newest first. 404 without the organization, campaign or agent. */
export async function searchExtractions(
  ctx: Context,
  caller: Caller,
  query: ExtractionQuery & TextPageRequest,
): Promise<Page<FoundExtraction>> {
  const filter = await filterOf(ctx, caller, query);
  const [at, id] = query.after ?? [];
  const before = { at: at === undefined ? ("infinity" as const) : new Date(Number(at)), id: id ?? LAST_ID };
  const page = { before, limit: query.limit };
  const rows = await foundExtractions.list(ctx.db, caller.tenantId, query.organizationId, page, filter);
  return textPageOf(rows, query.limit, keyOf);
}

const keyOf = (row: FoundExtraction): readonly string[] => [String(row.at.getTime()), row.id];

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
  const read = (last: FoundExtraction | undefined) =>
    foundExtractions.list(
      ctx.db,
      caller.tenantId,
      query.organizationId,
      { before: last ? { at: last.at, id: last.id } : { at: "infinity", id: LAST_ID }, limit: ROWS_A_PAGE - 1 },
      filter,
    );
  return { header: HEADER, rows: linesOf(read) };
}

async function* linesOf(
  read: (last: FoundExtraction | undefined) => Promise<FoundExtraction[]>,
): AsyncGenerator<string[][]> {
  for (let page = await read(undefined); page.length > 0; page = await read(page.at(-1))) {
    yield page.flatMap((row) => {
      const who = [row.phone, row.contact_name, row.campaign_name ?? row.campaign, row.agent_name];
      const start = [row.at.toISOString(), row.channel, ...who.map((cell) => cell ?? "")];
      return valuesOf(row).map(({ name, value, quote }) => [...start, name, value, quote ?? ""].map(shownCell));
    });
  }
}

async function filterOf(ctx: Context, { tenantId }: Caller, query: ExtractionQuery): Promise<ExtractionFilter> {
  const { organizationId, campaignId, agentId, ...rest } = query;
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  const campaign = campaignId === undefined ? undefined : await calls.campaign(ctx.db, tenantId, campaignId);
  if (campaignId !== undefined && campaign === undefined) throw notFound("Campaign");
  if (agentId !== undefined && !(await agents.find(ctx.db, tenantId, agentId))) throw notFound("Agent");
  return { ...rest, campaignId: campaign, agentId };
}
