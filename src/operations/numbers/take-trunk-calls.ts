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

/** What this node knows to be wrong with a trunk now. */
type Problem = { sentence: string; revision: number };

/**
 * For a process that holds calls: each run takes calls over the trunks of tenants' accounts as these are now connected, changed, suspended or gone,
 * and of no account of a tenant in test mode. Calls that go on are left alone.
 */
export function trunkCallTaker(ctx: Context): () => Promise<void> {
  const taken = new Map<string, Taken>();
  const problems = new Map<string, Problem>();
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
      await showAgain(live, trunk);
    }
    for (const [carrier, { opened }] of taken) {
      if (wanted.has(carrier)) continue;
      taken.delete(carrier);
      problems.delete(carrier);
      await opened.takeCalls?.(undefined);
    }
    if (taken.size > 0) await heedLostNodes();
  };

  /** Another node can reach the trunk and has said so: that this one cannot is to be seen all the same. */
  async function showAgain(tenantId: LiveTenantId, trunk: carrierAccounts.ConnectedTrunk): Promise<void> {
    const own = problems.get(trunk.carrier);
    if (own === undefined || trunk.problem !== null || own.revision !== trunk.revision) return;
    await note(tenantId, trunk.carrier, { problem: own.sentence, revision: own.revision });
  }

  function note(tenantId: LiveTenantId, carrier: string, found: { problem: string | null; revision: number }) {
    return carrierAccounts
      .noteProblem(ctx.db, tenantId, carrier, found)
      .catch((err: unknown) => ctx.log.error({ err, carrier }, "a trunk's problem could not be noted"));
  }

  /**
   * A registrar that knows one place alone may know that of a node that is gone: calls would get lost until this one is due to register again. Also of
   * one that was drained: where its place was the one, its goodbye leaves none.
   */
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
          .transaction((tx) => accountBarred(tx, tenantId, { carrier, revision }, barred, ctx))
          .catch((err: unknown) => ctx.log.error({ err, carrier }, "an account's refusal could not be noted"));
      },
      problem(sentence) {
        if (sentence === undefined) problems.delete(carrier);
        else problems.set(carrier, { sentence, revision });
        void note(tenantId, carrier, { problem: sentence ?? null, revision });
      },
    });
    taken.set(carrier, { opened, numbers });
  }
}
