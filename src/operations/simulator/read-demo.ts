import type { Caller, Context } from "#operations/context.ts";
import * as demos from "#store/simulator/demos.ts";

/** The tenant's demo data; undefined when it has none. */
export const readDemo = (ctx: Context, caller: Caller): Promise<demos.Demo | undefined> =>
  demos.find(ctx.db, caller.tenantId);
