import { liveTenant } from "#domain/accounts/modes.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";

/** Rows that one statement of a poll reads. */
const A_PAGE = 100;
/** A registry that does not answer within this time is queried again at the next poll. */
const REGISTRY_TIMEOUT_MS = 10_000;
/** A carrier's registry decides in minutes to days, and is asked by the poll so often. */
const ASK_EVERY_MS = 60_000;

type Waiting<Row> = {
  pending(
    tx: Context["db"],
    after: { tenantId: Uuid; id: string },
    limit: number,
    askedBefore: Date,
  ): Promise<(Row & { tenant_id: Uuid })[]>;
  asked(tx: Context["db"], tenantId: Uuid, id: string, at: Date): Promise<void>;
};

/**
 * Asks about everything of one kind that waits for a verdict, of all tenants. What an account's registry is asked about (live tenants') is noted first,
 * so that it is not asked again at once. For the sweep; safe to run anywhere, any time.
 */
export async function pollVerdicts<Row extends { id: string }>(
  ctx: Context,
  waiting: Waiting<Row>,
  ask: (tenant: Pick<Caller, "tenantId" | "mode">, row: Row, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const askOne = async (tenantId: Uuid, row: Row): Promise<void> => {
    const mode = (await tenants.find(ctx.db, tenantId))?.mode ?? "test";
    if (liveTenant({ tenantId, mode }) !== undefined) await waiting.asked(ctx.db, tenantId, row.id, ctx.now());
    await ask({ tenantId, mode }, row, AbortSignal.timeout(REGISTRY_TIMEOUT_MS));
  };
  let after = { tenantId: NO_ID, id: "" };
  for (;;) {
    const askedBefore = new Date(ctx.now().getTime() - ASK_EVERY_MS);
    const page = await waiting.pending(ctx.db, after, A_PAGE, askedBefore);
    for (const { tenant_id: tenantId, ...row } of page) {
      // What fails for one tenant keeps no other waiting.
      await askOne(tenantId, row as unknown as Row).catch((err: unknown) =>
        ctx.log.error({ err, tenantId, id: row.id }, "a verdict could not be asked for"),
      );
    }
    const last = page.at(-1);
    if (!last || page.length < A_PAGE) return;
    after = { tenantId: last.tenant_id, id: last.id };
  }
}

/** What a registry says of something that waits; undefined while that is nothing new, and where it does not answer: the next poll asks again. */
export async function verdictOf<V extends { status: string }>(
  ctx: Context,
  of: { what: string; id: string },
  answer: Promise<V>,
): Promise<V | undefined> {
  const verdict = await answer.catch((err: unknown) => {
    ctx.log.warn({ id: of.id, err }, `the registry could not be asked about a ${of.what}`);
    return undefined;
  });
  return verdict?.status === "PENDING" ? undefined : verdict;
}
