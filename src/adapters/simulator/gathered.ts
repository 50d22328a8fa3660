import { setImmediate as nextTurn } from "node:timers/promises";
import type { Uuid } from "#domain/values/id.ts";

/** As many as a claim has: larger statements are no faster. */
const MOST = 500;

type Waiting<T, R> = { item: T; resolve(result: R): void; reject(error: unknown): void };

/**
 * A commit for each item, made by one statement for all of a tenant's that come while the one before is on its way, as databases do with
 * their logs. `commit` answers with a result for each, in order; where it fails all of them do.
 */
export function gathered<T, R>(
  commit: (tenantId: Uuid, items: readonly T[]) => Promise<readonly R[]>,
): (tenantId: Uuid, item: T) => Promise<R> {
  const queues = new Map<Uuid, Waiting<T, R>[]>();

  const drain = async (tenantId: Uuid, queue: Waiting<T, R>[]) => {
    // Whoever begins many does so in one turn of the event loop.
    await nextTurn();
    while (queue.length > 0) {
      const batch = queue.splice(0, MOST);
      try {
        const results = await commit(
          tenantId,
          batch.map(({ item }) => item),
        );
        for (const [i, waiter] of batch.entries()) waiter.resolve(results[i]!);
      } catch (error) {
        for (const waiter of batch) waiter.reject(error);
      }
    }
    queues.delete(tenantId);
  };

  return (tenantId, item) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(tenantId);
      if (queue) queue.push({ item, resolve, reject });
      else {
        const begun = [{ item, resolve, reject }];
        queues.set(tenantId, begun);
        void drain(tenantId, begun);
      }
    });
}
