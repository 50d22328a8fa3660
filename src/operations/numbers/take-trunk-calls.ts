import { type LiveTenantId, liveTenant } from "#domain/accounts/modes.ts";
import type { Uuid } from "#domain/values/id.ts";
import { accountBarred } from "#operations/carriers.ts";
import type { Context } from "#operations/context.ts";
import type { OpenCarrier } from "#ports/carrier-account.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as nodes from "#store/system/nodes.ts";

/** RFC 3261, 22: the credentials are wrong. Any other refusal of a registrar may pass. */
const CREDENTIALS_REFUSED = [401, 407];

type Taken = { opened: OpenCarrier; numbers: string };

/**
 * For a process that holds calls: each run takes calls over the trunks of tenants' accounts as these are now connected, changed, suspended or gone,
 * and of no account of a tenant in test mode. Calls that go on are left alone.
 */
export function trunkCallTaker(ctx: Context): () => Promise<void> {
  const taken = new Map<string, Taken>();
  let nodesBefore: readonly Uuid[] = [];
  return async () => {
    const connected = await carrierAccounts.trunks(ctx.db);
    const wanted = new Set<string>();
    for (const trunk of connected) {
      const live = liveTenant(trunk);
      if (live === undefined) continue;
      wanted.add(trunk.carrier);
      await take(live, trunk).catch((err: unknown) =>
        ctx.log.warn({ err, carrier: trunk.carrier }, "calls of a tenant's trunk cannot be taken"),
      );
    }
    for (const [carrier, { opened }] of taken) {
      if (wanted.has(carrier)) continue;
      taken.delete(carrier);
      await opened.takeCalls?.(undefined);
    }
    if (taken.size > 0) await heedLostNodes();
  };

  /** A registrar that knows one place alone may know that of a node that is gone: calls would get lost until this one is due to register again. */
  async function heedLostNodes(): Promise<void> {
    const there = await nodes.ofRole(ctx.db, "media");
    const isOneGone = nodesBefore.some((id) => !there.includes(id));
    nodesBefore = there;
    if (isOneGone) for (const { opened } of taken.values()) opened.registerAnew?.();
  }

  async function take(tenantId: LiveTenantId, trunk: carrierAccounts.ConnectedTrunk): Promise<void> {
    const { carrier, revision } = trunk;
    const numbers = trunk.numbers.join(" ");
    const before = taken.get(carrier);
    const opened = await ctx.carriers.accounts.open(tenantId, carrier, { tx: ctx.db, revision });
    if (opened?.takeCalls === undefined || (before?.opened === opened && before.numbers === numbers)) return;
    await opened.takeCalls({
      numbers: trunk.numbers,
      refused(status) {
        if (!CREDENTIALS_REFUSED.includes(status)) return;
        const barred = { how: "refused", code: String(status) } as const;
        ctx.db
          .transaction((tx) => accountBarred(tx, tenantId, { carrier, revision }, barred, ctx.now()))
          .catch((err: unknown) => ctx.log.error({ err, carrier }, "an account's refusal could not be noted"));
      },
      problem(sentence) {
        carrierAccounts
          .noteProblem(ctx.db, tenantId, carrier, { problem: sentence ?? null, revision })
          .catch((err: unknown) => ctx.log.error({ err, carrier }, "a trunk's problem could not be noted"));
      },
    });
    taken.set(carrier, { opened, numbers });
  }
}
