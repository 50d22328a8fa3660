import { parseId } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { webhookAccounts } from "#operations/numbers/webhook-accounts.ts";
import type { StreamSocket } from "#ports/call-streams.ts";

export type StreamJoiner = (
  carrier: string,
  message: string,
  options: { isPatient: boolean },
) => Promise<StreamSocket | "wait" | undefined>;

/**
 * Brings a carrier's stream to the call whose ticket it shows: a ticket is good once, for one call of one account, while the call is expected. `wait`: this
 * message has none, and the next may. Undefined: nobody awaits this stream. Whose accounts are named is kept, since strangers may name any; the ticket proves.
 */
export function streamJoiner(ctx: Context): StreamJoiner {
  const owners = webhookAccounts(ctx);
  return async (carrier, message, { isPatient }) => {
    const id = parseId("carrier", carrier);
    if (id === undefined) return undefined;
    const account = owners.known(id) ?? (await owners.read(id, isPatient));
    if (!account) return undefined;
    const { tenantId, revision } = account;
    const opened = await ctx.carriers.accounts.open(tenantId, account.carrier, { tx: ctx.db, revision });
    if (!opened?.streamTicket) return undefined;
    const ticket = opened.streamTicket(message);
    return ticket === undefined ? "wait" : ctx.callNodes.join(account.carrier, ticket);
  };
}
