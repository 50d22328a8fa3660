import { brandId } from "#domain/numbers/brand.ts";
import { AppError } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import { removeDemo } from "#operations/simulator/remove-demo.ts";
import { idsFrom } from "#operations/system/repeat-request.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as demos from "#store/simulator/demos.ts";
import { BRANDS } from "./data.ts";
import { readHeader } from "./file.ts";
import { idIn } from "./history.ts";
import { type Loading, STEPS } from "./steps.ts";

/** Longer than any step; after it another worker takes over from one that was cut off. */
const LEASE_MS = 30_000;

/** Loads and removes the demo data that tenants have asked for, one after the other. Any number of workers may look at once. */
export async function runDemos(ctx: Context, signal: AbortSignal): Promise<void> {
  let failed: unknown;
  for (const tenantId of await demos.open(ctx.db, ctx.now())) {
    if (signal.aborted) return;
    const demo = await demos.lease(ctx.db, tenantId, { until: leaseUntil(ctx), now: ctx.now() });
    if (!demo) continue;
    try {
      if (demo.status === "removing") await remove(ctx, tenantId, demo);
      else await load(ctx, tenantId, demo, signal);
    } catch (error) {
      // The others have theirs loaded all the same.
      failed ??= error;
    } finally {
      await demos.free(ctx.db, tenantId);
    }
  }
  if (failed !== undefined) throw failed;
}

const leaseUntil = (ctx: Context) => new Date(ctx.now().getTime() + LEASE_MS);

async function remove(ctx: Context, tenantId: Uuid, demo: demos.Demo): Promise<void> {
  const state = { seed: demo.seed, status: "removing" as const, done: 0, total: 1, until: leaseUntil(ctx) };
  await demos.come(ctx.db, tenantId, { ...state, step: "ending calls and removing everything" });
  if (await removeDemo(ctx, tenantId, demo)) ctx.log.info({ tenantId }, "the demo data has been removed");
}

async function load(ctx: Context, tenantId: Uuid, demo: demos.Demo, signal: AbortSignal): Promise<void> {
  const { account_id: accountId } = (await tenants.find(ctx.db, tenantId))!;
  const as = (name: string): Caller => ({
    tenantId,
    accountId,
    keyId: demo.seed,
    mode: "test",
    scopes: ["read", "write", "send"],
    organizations: undefined,
    newId: idsFrom(`${demo.seed} ${name}`),
  });
  const header = await readHeader();
  await demos.own(ctx.db, tenantId, {
    organizationIds: header.organizations.map((mark) => idIn(header, demo.seed, mark)),
    brandIds: BRANDS.map(({ displayName }) => brandId(as(displayName).newId())),
  });
  const loading: Loading = { ctx, signal, as, tenantId, seed: demo.seed, header };
  const base = { seed: demo.seed, status: "loading" as const, total: STEPS.length };
  try {
    for (const [done, { step, run }] of STEPS.entries()) {
      if (signal.aborted) return;
      if (!(await demos.come(ctx.db, tenantId, { ...base, step, done, until: leaseUntil(ctx) }))) return;
      await run(loading);
    }
  } catch (error) {
    // Any other failure is the database's, or ours to mend: it is tried again.
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return demos.loaded(ctx.db, tenantId, { problem: error.message, now: ctx.now() });
  }
  await demos.loaded(ctx.db, tenantId, { problem: null, now: ctx.now() });
}
