import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provisioningFailed } from "#domain/numbers/phone-number.ts";
import { failure } from "#domain/values/errors.ts";
import { timeOfId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { isUniqueViolation, type Tx } from "#store/database/db.ts";
import * as numbers from "#store/numbers/phone-numbers.ts";
import * as demoRows from "#store/simulator/demo-rows.ts";
import { type Header, meant, readParts, readRecording } from "./file.ts";

const DAY_MS = 86_400_000;
/** Rows that one statement takes: some megabytes of JSON at most. */
const AT_ONCE = 1_000;
/** What the search offers may be ours already. */
const SPARE_NUMBERS = 20;

/** The ids that the file's marks mean to who loads it with this seed. */
export const idIn = (header: Header, seed: Uuid, mark: string): Uuid =>
  meant(header, { tenantId: "", seed, madeAt: timeOfId(seed), shiftMs: 0, seqs: [], numbers: [] }, mark);

/**
 * Loads three weeks that the engine has played: at once, or nothing of it. Times are moved by whole days, so that the last day is today or yesterday by
 * the tenant's clock and every hour is what it was. Does nothing where it is loaded already.
 */
export async function loadHistory(
  ctx: Context,
  { tenantId, seed, header, signal }: { tenantId: Uuid; seed: Uuid; header: Header; signal: AbortSignal },
): Promise<void> {
  const isLoaded = () => organizations.find(ctx.db, tenantId, idIn(header, seed, header.organizations[0]!));
  if (await isLoaded()) return;
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const shiftMs = Math.floor((now.getTime() - header.end) / DAY_MS) * DAY_MS;
  const whose = {
    tenantId,
    seed,
    madeAt: timeOfId(seed),
    shiftMs,
    numbers: await freeNumbers(ctx, tenantId, header, signal),
  };
  // Before the rows that name them: a row never names a file that is not there.
  await keepRecordings(ctx, header, (call) => `${tenantId}/${idIn(header, seed, call)}.wav`);
  const insertAll = async (tx: Tx) => {
    const seqs = await demoRows.seqs(tx, tenantId, header.seqs);
    for await (const [table, rows] of readParts(header, { ...whose, seqs }))
      for (let i = 0; i < rows.length; i += AT_ONCE)
        await demoRows.insert(tx, tenantId, table, rows.slice(i, i + AT_ONCE));
  };
  try {
    await ctx.db.transaction(insertAll);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Another worker may have loaded it meanwhile.
    if (await isLoaded()) return;
    throw failure("conflict", "The organization has a campaign_id or a number that the demo data has too");
  }
}

/** Numbers of the simulated carrier that the tenant does not have. */
async function freeNumbers(ctx: Context, tenantId: Uuid, header: Header, signal: AbortSignal): Promise<string[]> {
  const [inventory] = ctx.numbers.forTenant({ tenantId, mode: "test" });
  return Promise.all(
    header.areaCodes.map(async (areaCode) => {
      const owned = await numbers.owned(ctx.tenantDb, tenantId, areaCode);
      const offered = await inventory!.search({ areaCode, limit: owned.size + SPARE_NUMBERS }, signal);
      const free = offered.find((number) => !owned.has(number));
      if (free === undefined) throw provisioningFailed(`area code ${areaCode} has no number left for the demo data`);
      return free;
    }),
  );
}

async function keepRecordings(ctx: Context, header: Header, nameOf: (call: string) => string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "parley-demo-"));
  try {
    for (const { call, file } of header.recordings) {
      const path = join(folder, `${file}.whole`);
      await writeFile(path, await readRecording(file), { mode: 0o600 });
      await ctx.objects.keep(nameOf(call), path);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
