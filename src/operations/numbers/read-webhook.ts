import { type LiveTenantId, liveTenant } from "#domain/accounts/modes.ts";
import { parseId } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { WebhookEvents, WebhookRequest } from "#ports/carrier-account.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";

/** A webhook whose signature does not fit has the account read anew; others trust what was read so lately. */
const TRUSTED_MS = 5_000;

/**
 * How long webhooks may still be signed with the credentials before: new ones are taken here before the carrier signs with them, and a STOP that
 * comes in between is not sent again.
 */
const FORMER_MS = 86_400_000;

export type Webhook = { tenantId: LiveTenantId; events: WebhookEvents };
type Known = { tenantId: LiveTenantId; revision: number; readAt: Date };

/**
 * Reads webhooks, each after its signature, and keeps which account is whose. Undefined for an account that is not there, and for a signature that is
 * missing, stale or wrong: which of them is nobody's to know.
 */
export function webhookReader(
  ctx: Context,
): (carrier: string, request: WebhookRequest) => Promise<Webhook | undefined> {
  const { accounts } = ctx.carriers;
  const accountsKnown = new Map<string, Known>();

  async function tenantOf(carrier: string): Promise<LiveTenantId | undefined> {
    const id = parseId("carrier", carrier);
    const owner = id && (await carrierAccounts.ownerOf(ctx.db, id));
    const found = owner && (await tenants.find(ctx.db, owner));
    return owner && found ? liveTenant({ tenantId: owner, mode: found.mode }) : undefined;
  }

  async function look(carrier: string): Promise<Known | undefined> {
    const tenantId = accountsKnown.get(carrier)?.tenantId ?? (await tenantOf(carrier));
    const revision = tenantId && (await carrierAccounts.revisionOf(ctx.db, tenantId, carrier));
    if (!tenantId || revision === undefined) {
      accountsKnown.delete(carrier);
      return undefined;
    }
    const known = { tenantId, revision, readAt: ctx.now() };
    accountsKnown.set(carrier, known);
    return known;
  }

  async function read(carrier: string, { tenantId, revision }: Known, request: WebhookRequest) {
    const opened = await accounts.open(tenantId, carrier, { tx: ctx.db, revision });
    const events = opened?.readWebhook?.(request);
    return events && { tenantId, events };
  }

  async function readFormer(carrier: string, { tenantId }: Known, request: WebhookRequest) {
    const account = await carrierAccounts.former(ctx.db, tenantId, carrier, new Date(ctx.now().getTime() - FORMER_MS));
    if (!account) return undefined;
    const opened = accounts.tryOut(tenantId, account, accounts.unseal(tenantId, account));
    try {
      const events = opened.readWebhook?.(request);
      return events && { tenantId, events };
    } finally {
      await opened.close();
    }
  }

  return async (carrier, request) => {
    const before = accountsKnown.get(carrier);
    const isTrusted = before !== undefined && ctx.now().getTime() - before.readAt.getTime() < TRUSTED_MS;
    const webhook = isTrusted ? await read(carrier, before, request) : undefined;
    if (webhook) return webhook;
    const known = await look(carrier);
    const isTried = isTrusted && known?.revision === before.revision;
    if (!known) return undefined;
    return (isTried ? undefined : await read(carrier, known, request)) ?? readFormer(carrier, known, request);
  };
}
