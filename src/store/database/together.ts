import type { Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import { isDatabaseAway } from "./db.ts";
import { inBatches } from "./in-batches.ts";

/** Work that is done together with the same of its moment, by kind and tenant. */
export type Together = Map<
  string,
  (asked: { ctx: unknown; item: object }) => Promise<Map<object, PromiseSettledResult<unknown>>>
>;
/** More would stand in one transaction for so long that PostgreSQL may end it. */
const MOST_TOGETHER = 100;

type Shared = { process: { together: Together } };

/**
 * Does a piece of work together with the pieces of the same kind and tenant that come while others are on their way: as `work` over all of them, which
 * answers for each. Where it fails for all, and the database is there, each is done by itself, so that one which cannot be done holds up no other.
 */
export async function together<Context extends Shared, Item extends object, Result>(
  ctx: Context,
  kind: string,
  tenantId: Uuid,
  item: Item,
  work: (ctx: Context, tenantId: Uuid, items: readonly Item[]) => Promise<ReadonlyMap<Item, Result>>,
): Promise<Result> {
  const key = `${kind} ${tenantId}`;
  let ask = ctx.process.together.get(key);
  if (ask === undefined) {
    ask = inBatches((asked) => settleAll(asked, (of: Context, items: readonly Item[]) => work(of, tenantId, items)));
    ctx.process.together.set(key, ask);
  }
  const settled = (await ask({ ctx, item })).get(item) as PromiseSettledResult<Result>;
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}

type Settled = Map<object, PromiseSettledResult<unknown>>;
type Work<Context, Item> = (ctx: Context, items: readonly Item[]) => Promise<ReadonlyMap<Item, unknown>>;

/** A process has one context, a test may have several over one. */
async function settleAll<Context, Item extends object>(
  asked: readonly { ctx: unknown; item: object }[],
  work: Work<Context, Item>,
): Promise<Settled> {
  const settled: Settled = new Map();
  for (const [ctx, them] of Map.groupBy(asked, (one) => one.ctx as Context)) {
    const items = them.map(({ item }) => item as Item);
    for (const piece of piecesOf(items, MOST_TOGETHER))
      for (const entry of await settle(ctx, piece, work)) settled.set(...entry);
  }
  return settled;
}

async function settle<Context, Item extends object>(
  ctx: Context,
  items: readonly Item[],
  work: Work<Context, Item>,
): Promise<Settled> {
  try {
    const results = await work(ctx, items);
    return new Map(items.map((item) => [item, { status: "fulfilled", value: results.get(item) }]));
  } catch (reason) {
    if (items.length === 1 || isDatabaseAway(reason))
      return new Map(items.map((item) => [item, { status: "rejected", reason }]));
    const alone: Settled = new Map();
    for (const item of items) for (const entry of await settle(ctx, [item], work)) alone.set(...entry);
    return alone;
  }
}
