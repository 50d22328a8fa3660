import { overloaded } from "#domain/values/errors.ts";

/** Of all places, so that one tenant leaves some to the others. */
const SHARE_OF_ONE = 1 / 2;
/** A call that somebody tries lasts about as long. */
const RETRY_AFTER_S = 30;

/** Limits long-lived calls of this process: a total, of which one tenant may have half. */
export type Places = {
  /** Takes a place, until the returned function is called, once. Fails with `overloaded`. */
  take(tenantId: string): () => void;
};

export function places(all: number): Places {
  const taken = new Map<string, number>();
  const most = Math.max(1, Math.floor(all * SHARE_OF_ONE));
  const of = (tenantId: string) => taken.get(tenantId) ?? 0;
  return {
    take(tenantId) {
      const inAll = taken.values().reduce((sum, count) => sum + count, 0);
      if (inAll >= all || of(tenantId) >= most)
        throw overloaded("Too many such calls go on; try again when one has ended", RETRY_AFTER_S);
      taken.set(tenantId, of(tenantId) + 1);
      return () => {
        const left = of(tenantId) - 1;
        if (left > 0) taken.set(tenantId, left);
        else taken.delete(tenantId);
      };
    },
  };
}
