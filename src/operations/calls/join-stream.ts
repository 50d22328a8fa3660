import { liveTenant } from "#domain/accounts/modes.ts";
import { parseId } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { StreamSocket } from "#ports/call-streams.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";

/**
 * Brings a carrier's stream to the call whose ticket it shows: a ticket is good once, for one call of one account, while the call is expected. `wait`: this
 * message has none, and the next may. Undefined: nobody awaits this stream.
 */
export async function joinStream(
  ctx: Context,
  carrier: string,
  message: string,
): Promise<StreamSocket | "wait" | undefined> {
  const id = parseId("carrier", carrier);
  const [account] = id === undefined ? [] : await carrierAccounts.ofWebhooks(ctx.db, [id]);
  const tenantId = account && liveTenant({ tenantId: account.owner, mode: account.mode });
  if (!account || tenantId === undefined) return undefined;
  const { revision } = account;
  const opened = await ctx.carriers.accounts.open(tenantId, account.carrier, { tx: ctx.db, revision });
  if (!opened?.streamTicket) return undefined;
  const ticket = opened.streamTicket(message);
  return ticket === undefined ? "wait" : ctx.callNodes.join(account.carrier, ticket);
}
