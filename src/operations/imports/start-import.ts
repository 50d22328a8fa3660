import { requireLive } from "#domain/accounts/modes.ts";
import { refuseForeign } from "#domain/accounts/organization.ts";
import { importColumns } from "#domain/contacts/import-columns.ts";
import { ENCODINGS, type Encoding } from "#domain/messaging/text-encoding.ts";
import { MAX_LINE_AGE_DAYS } from "#domain/phones/line-type.ts";
import { delimiterOf } from "#domain/values/csv-cell.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import { publicId, requireId, type Uuid } from "#domain/values/id.ts";
import { requireLookup } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import { refuseUnaffordable } from "#operations/numbers/look-up-spend.ts";
import type { Upload } from "#ports/uploads.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as users from "#store/accounts/users.ts";
import * as imports from "#store/contacts/imports.ts";
import * as listLines from "#store/contacts/list-lines.ts";
import * as lists from "#store/contacts/lists.ts";

export type ImportRequest = {
  organization_id: string;
  user_id: string;
  list_name?: string;
  /** JSON text: {"column": "field"}. */
  mapping?: string;
  delimiter?: string;
  encoding?: string;
  /** "true": the lines of its phones are looked up once it is over. */
  look_up_lines?: string;
};

const DELIMITERS: Record<string, string> = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" };
/** A longer first row is no header. */
const HEAD_BYTES = 256 * 1024;
const MAX_LIST_NAME = 200;

/**
 * Starts an import of contacts from an uploaded file: everything that the header shows is checked now, the rows are read afterwards by the process
 * that runs imports. `lookups`: how many its choice pays for at most. 400 for an invalid file or mapping, 404 for an unknown organization or user. The caller removes the upload when this fails.
 */
export async function startImport(
  ctx: Context,
  caller: Caller,
  upload: Upload,
  fileName: string,
  request: ImportRequest,
): Promise<{ started: imports.Import; lookups: number | undefined }> {
  const { tenantId } = caller;
  const organizationId = requireId("organization", request.organization_id, "Organization");
  const userId = requireId("user", request.user_id, "User");
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  const user = await users.find(ctx.db, tenantId, userId);
  if (!user) throw notFound("User");
  refuseForeign(organizationId, { user_id: user });
  const looksUp = request.look_up_lines === "true";
  if (looksUp) await requireLookups(ctx, caller, organizationId);
  const { lines, ...table } = await look(ctx, upload, request);
  const lookups = looksUp ? Math.max(0, lines - table.row_number) : undefined;
  if (lookups !== undefined) await refuseUnaffordable(ctx, tenantId, lookups, "look_up_lines");
  const started = await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    const id = caller.newId();
    const listId = caller.newId();
    const owner = { organization_id: organizationId, user_id: userId, created_at: now };
    await lists.insert(tx, tenantId, { ...owner, id: listId, name: request.list_name ?? listName(fileName) });
    if (looksUp)
      await listLines.want(tx, tenantId, listId, "importing", { carrierId: null, maxAgeDays: MAX_LINE_AGE_DAYS });
    await imports.insert(tx, tenantId, {
      ...owner,
      ...table,
      id,
      list_id: listId,
      file_name: fileName,
      upload: upload.name,
    });
    ctx.audit.note({
      object: { kind: "import", id: publicId("import", id) },
      organizationId,
      after: { list_id: listId, look_up_lines: looksUp },
    });
    return (await imports.find(tx, tenantId, id))!;
  });
  return { started, lookups };
}

/** 403 and 409 for who may have no look-ups, which the tenant's account pays for, as of those by themselves. */
async function requireLookups(ctx: Context, caller: Caller, organizationId: Uuid): Promise<void> {
  if (caller.organizations !== undefined)
    throw failure(
      "organization_limited",
      "Look-ups are paid for by the whole tenant: you are limited to organizations",
    );
  await requireLookup(ctx, requireLive(caller), { carrierId: undefined, organizationId });
}

const listName = (fileName: string): string =>
  fileName
    .replace(/\.\w+$/, "")
    .slice(0, MAX_LIST_NAME)
    .trim() || "Import";

/** The table's format, where its rows begin, and its columns. */
async function look(ctx: Context, upload: Upload, request: ImportRequest) {
  const encoding = encodingOf(request.encoding, upload.encoding);
  const delimiter = request.delimiter === undefined ? undefined : (DELIMITERS[request.delimiter] ?? request.delimiter);
  if (delimiter !== undefined && !Object.values(DELIMITERS).includes(delimiter)) {
    throw invalidField("delimiter", `must be one of ${Object.keys(DELIMITERS).join(", ")}`);
  }
  if (upload.bytes === 0) throw invalidField("file", "is empty");
  const utf8 = await ctx.uploads.toUtf8(upload.name, encoding);
  if (!utf8) throw invalidField("encoding", `is ${encoding}, but the file is not`);
  const head = new TextDecoder().decode(await ctx.uploads.head(upload.name, HEAD_BYTES));
  const used = delimiter ?? delimiterOf(head);
  const first = await header(ctx, upload.name, used, head);
  const columns = importColumns(first.cells, request.mapping);
  return {
    bytes: utf8.bytes,
    lines: utf8.lines,
    encoding,
    delimiter: used,
    columns,
    byte_offset: first.byteOffset,
    row_number: first.number,
  };
}

function encodingOf(given: string | undefined, found: Encoding): Encoding {
  if (given === undefined) return found;
  const known = ENCODINGS.find((name) => name === given.toLowerCase());
  if (!known) throw invalidField("encoding", `must be one of ${ENCODINGS.join(", ")}`);
  return known;
}

/** The first row that is not empty, and where the next one begins. */
async function header(ctx: Context, name: string, delimiter: string, head: string) {
  const blank = /^(?:[^\S\r\n]*(?:\r\n|\n|\r))*/.exec(head)![0];
  const from = { byteOffset: Buffer.byteLength(blank), rowNumber: blank.split(/\r\n|\n|\r/).length - 1 };
  const format = { delimiter, rowsAPiece: 1 };
  for await (const { rows, byteOffset, problem } of ctx.uploads.rows(name, format, from, NEVER)) {
    if (rows[0]) return { cells: rows[0].cells, number: rows[0].number, byteOffset };
    throw invalidField("file", `cannot be read: ${problem ?? "it has no rows"}`);
  }
  throw invalidField("file", "is empty");
}

const NEVER = new AbortController().signal;
