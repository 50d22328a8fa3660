import { type LiveTenantId, liveTenant } from "#domain/accounts/modes.ts";
import { parseId } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { WebhookEvents, WebhookRequest } from "#ports/carrier-account.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as lentCarriers from "#store/numbers/lent-carriers.ts";
import { type WebhookAccount, webhookAccounts } from "./webhook-accounts.ts";

/** A webhook whose signature does not fit has the account read anew; others trust what was read so lately. */
const TRUSTED_MS = 5_000;

/**
 * How long webhooks may still be signed with the credentials before: new ones are taken here before the carrier signs with them, and a STOP that
 * comes in between is not sent again.
 */
const FORMER_MS = 86_400_000;

export type Webhook = { tenantId: LiveTenantId; events: WebhookEvents };
export type WebhookReader = (
  carrier: string,
  request: WebhookRequest,
  options?: { isPatient: boolean },
) => Promise<Webhook | undefined>;
/** As it was before its credentials were replaced, and whose it is: of a lent account, its owner. */
type FormerAccount = { owner: LiveTenantId; account: NonNullable<Awaited<ReturnType<typeof carrierAccounts.former>>> };
type Former = { revision: number; readAt: Date; account: Promise<FormerAccount | undefined> };

/**
 * Reads webhooks, each after its signature, and keeps which account is whose. Undefined for an account that is not there, and for a signature that is
 * missing, stale or wrong: which of them is nobody's to know. Who is patient has sent too much of that: where its account has to be read, it waits for
 * others, and nothing that the account's carrier has signed is refused for it.
 */
export function webhookReader(ctx: Context): WebhookReader {
  const { accounts } = ctx.carriers;
  const owners = webhookAccounts(ctx);
  const formers = new Map<string, Former>();
  const isTrusted = ({ readAt }: { readAt: Date }) => ctx.now().getTime() - readAt.getTime() < TRUSTED_MS;

  async function read({ tenantId, carrier, revision, hasEnded }: WebhookAccount, request: WebhookRequest) {
    const opened = hasEnded
      ? await openEnded({ tenantId, carrier })
      : await accounts.open(tenantId, carrier, { tx: ctx.db, revision });
    const events = opened?.readWebhook?.(request);
    return events && { tenantId, events };
  }

  /** A loan that has ended is read as its account is now: what was sent by it is reported still. */
  async function openEnded({ tenantId, carrier }: Pick<WebhookAccount, "tenantId" | "carrier">) {
    const lender = await lentCarriers.lenderOf(ctx.db, carrier);
    const owner = lender && liveTenant(lender);
    const opened = owner && (await accounts.open(owner, lender.carrier, { tx: ctx.db }));
    return opened?.lend?.({ tenantId, carrier, settings: {} });
  }

  function formerOf({ tenantId, carrier, revision }: WebhookAccount): Former["account"] {
    const before = formers.get(carrier);
    if (before?.revision === revision && isTrusted(before)) return before.account;
    const since = new Date(ctx.now().getTime() - FORMER_MS);
    const account = readOwners(tenantId, carrier, since);
    formers.set(carrier, { revision, readAt: ctx.now(), account });
    account.catch(() => formers.delete(carrier));
    return account;
  }

  async function readOwners(tenantId: LiveTenantId, carrier: string, since: Date): Promise<FormerAccount | undefined> {
    const lender = await lentCarriers.lenderOf(ctx.db, carrier);
    const owner = lender === undefined ? tenantId : liveTenant(lender);
    const account = owner && (await carrierAccounts.former(ctx.db, owner, lender?.carrier ?? carrier, since));
    return account && { owner, account };
  }

  async function readFormer(known: WebhookAccount, request: WebhookRequest) {
    const former = await formerOf(known);
    if (!former) return undefined;
    const { tenantId, carrier } = known;
    const { owner, account } = former;
    const opened = accounts.tryOut(owner, account, accounts.unseal(owner, account));
    try {
      const theirs = account.carrier === carrier ? opened : opened.lend?.({ tenantId, carrier, settings: {} });
      const events = theirs?.readWebhook?.(request);
      return events && { tenantId, events };
    } finally {
      await opened.close();
    }
  }

  return async (carrier, request, { isPatient } = { isPatient: false }) => {
    const id = parseId("carrier", carrier);
    if (id === undefined) return undefined;
    const before = owners.known(id);
    const trusted = before && isTrusted(before) ? before : undefined;
    const webhook = trusted && (await read(trusted, request));
    if (webhook) return webhook;
    const known = await owners.read(id, isPatient);
    if (!known) return undefined;
    const isTried = known.revision === trusted?.revision;
    return (isTried ? undefined : await read(known, request)) ?? readFormer(known, request);
  };
}
