import { setTimeout as pause } from "node:timers/promises";
import { type LiveTenantId, liveTenant } from "#domain/accounts/modes.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { ReceiptById } from "#ports/carrier-session.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as lentCarriers from "#store/numbers/lent-carriers.ts";

/** An account's id is made here: one that is nobody's now is nobody's soon. */
const UNKNOWN_MS = 60_000;
/** Past it the memory starts anew, which costs a part of a statement each. */
const MAX_UNKNOWN = 10_000;
/** Those who have sent too much that was refused share a statement a second. */
const PATIENCE_MS = 1_000;

/** How long receipts still come for what was sent by a loan that has ended. */
const RECEIPTS_WITHIN_MS = 3 * 86_400_000;

/** `hasEnded`: it was lent to the tenant, and is no more. */
export type WebhookAccount = {
  tenantId: LiveTenantId;
  carrier: string;
  revision: number;
  readAt: Date;
  hasEnded: boolean;
};

/**
 * Whose accounts webhooks name, kept, and the ids that are nobody's too. One statement at a time reads all that are asked for meanwhile, so that a
 * flood of ids costs the database no more than one connection.
 */
export function webhookAccounts({ db, now }: Pick<Context, "db" | "now">) {
  const known = new Map<Uuid, WebhookAccount>();
  const unknown = new Map<Uuid, number>();
  let next: { ids: Set<Uuid>; done: Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();
  let patience: Promise<void> | undefined;

  async function readAll(ids: readonly Uuid[]): Promise<void> {
    const readAt = now();
    const found = new Map((await carrierAccounts.ofWebhooks(db, ids)).map((row) => [row.id, row]));
    const others = new Map(ids.flatMap((id) => (found.has(id) ? [] : [[publicId("carrier", id), id]])));
    const since = new Date(readAt.getTime() - RECEIPTS_WITHIN_MS);
    const ended = others.size === 0 ? [] : await carrierAccounts.endedOfWebhooks(db, [...others.keys()], since);
    const formers = new Map(ended.map((row) => [others.get(row.carrier), row]));
    for (const id of ids) {
      const row = found.get(id) ?? formers.get(id);
      const tenantId = row && liveTenant({ tenantId: row.owner, mode: row.mode });
      const hasEnded = formers.has(id);
      if (tenantId) known.set(id, { tenantId, carrier: row.carrier, revision: row.revision, readAt, hasEnded });
      else {
        known.delete(id);
        if (unknown.size >= MAX_UNKNOWN) unknown.clear();
        unknown.set(id, readAt.getTime() + UNKNOWN_MS);
      }
    }
  }

  function begin() {
    const ids = new Set<Uuid>();
    const done = last.then(() => {
      next = undefined;
      return readAll([...ids]);
    });
    last = done.catch(() => {});
    return { ids, done };
  }

  return {
    /** As it was read last. */
    known: (id: Uuid): WebhookAccount | undefined => known.get(id),
    /** As it is now, or undefined. Who is patient waits up to a second for the others. */
    async read(id: Uuid, isPatient: boolean): Promise<WebhookAccount | undefined> {
      if ((unknown.get(id) ?? 0) > now().getTime()) return undefined;
      if (isPatient) {
        patience ??= pause(PATIENCE_MS).then(() => {
          patience = undefined;
        });
        await patience;
      }
      next ??= begin();
      next.ids.add(id);
      await next.done;
      return known.get(id);
    },
  };
}

/** An account as its owner calls it, or a tenant who was lent it. */
type Named = { tenantId: Uuid; carrier: string };

/**
 * Whose a text or a call to a number is that came over an account: the tenant's that was given the number, else the account's owner's. By the table of
 * numbers alone: what it does not say is not guessed by who has texted whom.
 */
export async function ownerOfNumber(
  { db }: Pick<Context, "db">,
  account: Named,
  phone: string,
): Promise<lentCarriers.Named> {
  return (await lentCarriers.routeOf(db, account.carrier, phone)) ?? account;
}

/**
 * The same for receipts that come over a session and name our number: each tenant's with their own, and with those who had the number before. Of one
 * without a number only the owner is asked.
 */
export async function byOwner(
  ctx: Pick<Context, "db">,
  account: Named,
  receipts: readonly ReceiptById[],
): Promise<{ of: [Named, ...Named[]]; receipts: ReceiptById[] }[]> {
  const groups = Map.groupBy(receipts, ({ sender }) => sender);
  return Promise.all(
    [...groups].map(async ([sender, receipts]) => {
      const of = sender === undefined ? account : await ownerOfNumber(ctx, account, sender);
      const formers = sender === undefined ? [] : await lentCarriers.formerHoldersOf(ctx.db, account.carrier, sender);
      return { of: [of, ...formers.filter(({ tenantId }) => tenantId !== of.tenantId)], receipts };
    }),
  );
}
