import type { Uuid } from "#domain/values/id.ts";

/** What waits, a line for each tenant: the lines take turns, so that nobody waits for more than one of each other tenant's. */
export type TenantQueue<T> = {
  push(tenantId: Uuid, item: T): void;
  /** Whose turn it is. */
  first(): T | undefined;
  /** Takes that one out; its tenant's next comes after the others. */
  shift(): T | undefined;
};

export function tenantQueue<T>(): TenantQueue<T> {
  // A map keeps the order in which its keys came: the first line is the one whose turn it is, and none is empty.
  const lines = new Map<Uuid, T[]>();
  return {
    push(tenantId, item) {
      const line = lines.get(tenantId);
      if (line) line.push(item);
      else lines.set(tenantId, [item]);
    },
    first: () => lines.values().next().value?.[0],
    shift() {
      const [turn] = lines;
      if (turn === undefined) return undefined;
      const [tenantId, line] = turn;
      lines.delete(tenantId);
      const item = line.shift();
      if (line.length > 0) lines.set(tenantId, line);
      return item;
    },
  };
}
