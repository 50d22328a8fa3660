import type { Uuid } from "#domain/values/id.ts";
import type { NodeLease } from "#operations/context.ts";
import type { HeldNode } from "#store/system/nodes.ts";

export type PlaceParts = {
  /** Takes a place in the register of nodes under this id; fails while the database cannot be reached. */
  take(id: Uuid): Promise<HeldNode>;
  newId(): Uuid;
  /** Enters the names under which this process locks jobs. A node without them has its jobs taken away. */
  note(id: Uuid, names: readonly string[]): Promise<void>;
  /** Called for each further place that is taken, even if moving to it is not complete. */
  moved(id: Uuid): void;
  /** Makes what this process holds under these ids the last one's. Safe to repeat. */
  adopt?(ids: readonly Uuid[]): Promise<void>;
};

export type Place = {
  lease: NodeLease;
  node(): HeldNode;
  /** The names that jobs are locked under from now on. Until they are entered each `keep` tries again. */
  answerAs(names: readonly string[]): Promise<void>;
  /** Takes another place if this one is lost, and does what is still to be done for it. */
  keep(before: () => Promise<void>): Promise<void>;
  /** How long this process has had no place, or one to which what it holds has not been brought; 0 while all is well. */
  withoutMs(): number;
};

/**
 * A process's place in the register of nodes, kept through the losses of the session that holds it. Each time it is another node. What
 * belongs to a new place, its jobs' names and the calls of the former, is brought to it by statements of their own: one that fails is
 * repeated at every `keep` until it is done, and what was not adopted yet keeps the lease from being alive.
 */
export async function takePlace(parts: PlaceParts, firstId: Uuid): Promise<Place> {
  let node = await parts.take(firstId);
  let names: readonly string[] = [];
  let isNoted = true;
  /** Former ids of this process that may still hold calls. */
  let former: Uuid[] = [];
  let brokenAt: number | undefined;

  const isWhole = () => !node.lost() && former.length === 0;
  const settle = async () => {
    // Either may have changed again by the time that the database has answered.
    const { id } = node;
    if (!isNoted) {
      const noting = names;
      await parts.note(id, noting);
      isNoted = noting === names && id === node.id;
    }
    if (former.length > 0) {
      const bringing = former;
      // The new one too: it may have been done, and only the answer lost.
      await parts.adopt?.([...bringing, id]);
      former = former.filter((callId) => !bringing.includes(callId));
    }
  };
  return {
    lease: {
      get id() {
        return node.id;
      },
      alive: () => node.alive() && isWhole(),
    },
    node: () => node,
    async answerAs(them) {
      names = them;
      isNoted = false;
      await settle();
    },
    async keep(before) {
      if (node.lost()) {
        await before();
        const next = await parts.take(parts.newId());
        former = [...former, node.id];
        node = next;
        isNoted = false;
        parts.moved(node.id);
      }
      await settle();
    },
    withoutMs() {
      brokenAt = isWhole() ? undefined : (brokenAt ?? performance.now());
      return brokenAt === undefined ? 0 : performance.now() - brokenAt;
    },
  };
}
