import { liveTenant } from "#domain/accounts/modes.ts";
import type { Uuid } from "#domain/values/id.ts";
import { accountBarred } from "#operations/carriers.ts";
import type { Context } from "#operations/context.ts";
import { receivePart } from "#operations/messaging/join-parts.ts";
import { receiveMessage, recentTexts } from "#operations/messaging/receive-message.ts";
import { byOwner, ownerOfNumber } from "#operations/numbers/webhook-accounts.ts";
import { drainLane } from "#operations/sending/drain-lane.ts";
import { recordHoldersReceipts, recordReportedReceipts } from "#operations/sending/record-named-receipts.ts";
import type { CarrierSession, SessionEvents } from "#ports/carrier-session.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as lentCarriers from "#store/numbers/lent-carriers.ts";
import * as lanes from "#store/sending/lanes.ts";
import type { SessionLocks } from "#store/system/session-locks.ts";

/** Once the lock is lost, nothing is sent any more, and answers that are on their way have this long: then another process may be connected. */
const LOST_WITHIN_MS = 500;
/** Lanes at once: each waits for its carrier's answers most of the time. */
const LANES_AT_ONCE = 6;
/** A lane on which something is due that cannot leave yet is looked at this often: what it waits for may be over sooner than it said. */
const LOOK_AGAIN_MS = 1_000;

type Parts = {
  ctx: Context;
  openLocks(lost: () => void): Promise<SessionLocks>;
};

export type CarrierSessions = {
  /** Holds what nobody else holds, and ends what is not to be held any more. While it runs, asking again waits for that run. */
  keep(): Promise<void>;
  /** Sends what is due over the sessions that are held. True where it began with something. */
  drain(signal: AbortSignal): Promise<boolean>;
  /** What is held, by the carrier's name: why it is not connected now, in words; undefined where it is. */
  problems(): ReadonlyMap<string, string | undefined>;
  /** Resolves when what `drain` has begun is over. */
  settled(): Promise<void>;
  /** Disconnects, and gives everything back. */
  stop(): Promise<void>;
};

/** `ending`: it is being stopped, and is held until that is done. */
type Held = { id: Uuid; tenantId: Uuid; revision: number; session: CarrierSession; ending?: Promise<void> };

/**
 * The sessions with carriers that this process holds, each under an advisory lock: connected in one process alone. An account that is changed is
 * opened anew, one that is suspended or deleted is let go. When the connection that holds the locks is lost, all sessions end at once.
 */
export function carrierSessions({ ctx, openLocks }: Parts): CarrierSessions {
  const events: SessionEvents = {
    async inbound(tenantId, text) {
      const of = await ownerOfNumber(ctx, { tenantId, carrier: text.carrier }, text.to);
      await receiveMessage(ctx, of.tenantId, { ...text, carrier: of.carrier });
    },
    receipts: (tenantId, carrier, receipts) => recordReportedReceipts(ctx, tenantId, carrier, receipts),
    async receiptsById(tenantId, carrier, receipts) {
      const groups = await byOwner(ctx, { tenantId, carrier }, receipts);
      for (const { of, receipts } of groups) await recordHoldersReceipts(ctx, of, receipts);
    },
    async part(tenantId, part) {
      const of = await ownerOfNumber(ctx, { tenantId, carrier: part.carrier }, part.to);
      await receivePart(ctx, of.tenantId, { ...part, carrier: of.carrier });
    },
    async recent(tenantId, carrier, since) {
      const all = [{ tenantId, carrier }, ...(await lentCarriers.loansOf(ctx.db, carrier))];
      const ids = await Promise.all(all.map((one) => recentTexts(ctx, one.tenantId, one.carrier, since)));
      return ids.flat();
    },
  };
  const held = new Map<string, Held>();
  const draining = new Map<Uuid, { tenantId: Uuid; done: Promise<void> }>();
  const notBefore = new Map<Uuid, number>();
  let locks: SessionLocks | undefined;
  let keeping: Promise<void> | undefined;
  let isStopped = false;

  const end = (carrier: string, one: Held, withinMs?: number): Promise<void> => {
    const from = locks;
    const failed = (err: unknown) => ctx.log.warn({ err, carrier }, "a session with a carrier could not be ended");
    one.ending ??= one.session
      .stop(withinMs)
      .catch(failed)
      .then(() => (from === locks ? from?.give(one.id) : undefined))
      .catch(failed)
      .then(() => void held.delete(carrier));
    // It may be ending politely already.
    if (withinMs !== undefined) void one.session.stop(withinMs).catch(failed);
    return one.ending;
  };

  function lose(): void {
    locks = undefined;
    if (held.size > 0) ctx.log.warn({ carriers: [...held.keys()] }, "the locks of sessions were lost; they are ended");
    for (const [carrier, one] of held) void end(carrier, one, LOST_WITHIN_MS);
  }

  async function begin(account: carrierAccounts.SessionAccount): Promise<void> {
    const { tenant_id: tenantId, mode, id, carrier, revision } = account;
    const live = liveTenant({ tenantId, mode });
    const from = locks;
    if (live === undefined || !from || !(await from.take(id))) return;
    const opened = await ctx.carriers.accounts.open(live, carrier, { tx: ctx.db, revision }).catch((err) => {
      ctx.log.warn({ err, carrier }, "an account with a carrier could not be opened");
      return undefined;
    });
    const session = opened?.session;
    if (!session || from !== locks || isStopped) {
      if (from === locks) await from.give(id);
      return;
    }
    held.set(carrier, { id, tenantId, revision, session });
    session.start(events);
    ctx.log.info({ carrier, node: ctx.node.id }, "this process holds the session with a carrier");
  }

  async function look(tenantId: Uuid, laneId: Uuid, signal: AbortSignal): Promise<void> {
    try {
      const again = await drainLane(ctx, { tenantId, laneId }, signal);
      const inMs = again ? again.getTime() - ctx.now().getTime() : LOOK_AGAIN_MS;
      notBefore.set(laneId, performance.now() + Math.min(LOOK_AGAIN_MS, inMs));
    } catch (err) {
      notBefore.set(laneId, performance.now() + LOOK_AGAIN_MS);
      if (!signal.aborted) ctx.log.warn({ err, laneId }, "a lane of a held session could not be drained");
    } finally {
      draining.delete(laneId);
    }
  }

  /** Where something is due a text's outcome says so, too: here it is seen with nothing to send. */
  async function reportRefused(): Promise<ReadonlySet<string>> {
    const barredNow = new Set<string>();
    for (const [carrier, one] of held) {
      const { tenantId, revision, session, ending } = one;
      const code = session.refused();
      if (code === undefined || ending !== undefined) continue;
      ctx.log.warn({ carrier, code }, "the carrier refuses an account");
      const barred = { how: "refused", code } as const;
      await ctx.db.transaction((tx) => accountBarred(tx, tenantId, { carrier, revision }, barred, ctx));
      // An account that is connected again is bound anew: what this session was answered says nothing of it then.
      void end(carrier, one);
      barredNow.add(carrier);
    }
    return barredNow;
  }

  async function keepOnce(): Promise<void> {
    if (isStopped) return;
    const wanted = await carrierAccounts.withSession(ctx.db, ctx.carriers.accounts.sessionKinds);
    if (wanted.length > 0 || held.size > 0) locks ??= await openLocks(lose);
    const revisions = new Map(wanted.map(({ carrier, revision }) => [carrier, revision]));
    for (const [carrier, one] of held) if (revisions.get(carrier) !== one.revision) void end(carrier, one);
    // The list is of before: what has just been barred is in it still.
    const barred = await reportRefused();
    for (const account of wanted) {
      if (!held.has(account.carrier) && !barred.has(account.carrier)) await begin(account);
    }
  }

  return {
    keep() {
      // Two at once would open two connections for the locks, and lose hold of one.
      keeping ??= keepOnce().finally(() => {
        keeping = undefined;
      });
      return keeping;
    },
    async drain(signal) {
      const carriers = [...held].flatMap(([carrier, { ending }]) => (ending === undefined ? [carrier] : []));
      if (carriers.length === 0) return false;
      const now = performance.now();
      const due = (await lanes.dueOf(ctx.db, ctx.now(), carriers)).filter(
        ({ id }) => !draining.has(id) && (notBefore.get(id) ?? 0) <= now,
      );
      const begun = inTurns(due, [...draining.values()]).slice(0, Math.max(0, LANES_AT_ONCE - draining.size));
      for (const { tenant_id, id } of begun)
        draining.set(id, { tenantId: tenant_id, done: look(tenant_id, id, signal) });
      return begun.length > 0;
    },
    problems: () => new Map([...held].map(([carrier, { session }]) => [carrier, session.problem()])),
    async settled() {
      while (draining.size > 0) await Promise.all([...draining.values()].map(({ done }) => done));
    },
    async stop() {
      isStopped = true;
      await keeping?.catch(() => undefined);
      await Promise.all([...held].map(([carrier, one]) => end(carrier, one)));
      await locks?.end();
      locks = undefined;
    },
  };
}

/** Lanes in turns of their tenants, after what each has already: a tenant with many numbers keeps nobody with one from theirs. */
export function inTurns<T extends { tenant_id: Uuid }>(due: readonly T[], running: readonly { tenantId: Uuid }[]): T[] {
  const turns = new Map<Uuid, number>();
  const next = (tenantId: Uuid): number => {
    const turn = turns.get(tenantId) ?? 0;
    turns.set(tenantId, turn + 1);
    return turn;
  };
  for (const { tenantId } of running) next(tenantId);
  return due
    .map((lane) => ({ lane, turn: next(lane.tenant_id) }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ lane }) => lane);
}
