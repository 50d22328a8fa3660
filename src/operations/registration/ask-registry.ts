import type { LiveTenantId } from "#domain/accounts/modes.ts";
import type { Context } from "#operations/context.ts";
import * as brands from "#store/numbers/brands.ts";
import * as tenDlcCampaigns from "#store/numbers/ten-dlc-campaigns.ts";
import * as tollFree from "#store/numbers/toll-free.ts";

/** An account's registry says that something has changed: the next poll asks it about all that waits for its verdict. */
export async function askRegistry(ctx: Context, tenantId: LiveTenantId, carrier: string): Promise<void> {
  await brands.changed(ctx.db, tenantId, carrier);
  await tenDlcCampaigns.changed(ctx.db, tenantId, carrier);
  await tollFree.changed(ctx.db, tenantId, carrier);
}
