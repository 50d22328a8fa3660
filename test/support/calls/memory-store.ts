import type { AcceptedCall, CallStore, EndedCall, OwedCall } from "#ports/call-store.ts";
import type { HandsetScript } from "#ports/handset-network.ts";

/** The carrier's records of calls in memory, of one tenant, and how often each statement was run. */
export type MemoryStore = CallStore & {
  scripted: Map<string, HandsetScript>;
  accepted: AcceptedCall[];
  ended: Map<string, EndedCall>;
  acknowledged: string[];
  owed: OwedCall[];
  runs: Record<"scripts" | "accept" | "end" | "clock", number>;
  offsetMs: number;
  /** The next accept fails after it was committed. */
  losesNext: boolean;
};

export function memoryStore(): MemoryStore {
  const store: MemoryStore = {
    scripted: new Map(),
    accepted: [],
    ended: new Map(),
    acknowledged: [],
    owed: [],
    runs: { scripts: 0, accept: 0, end: 0, clock: 0 },
    offsetMs: 0,
    losesNext: false,
    async scripts() {
      store.runs.scripts++;
      return store.scripted;
    },
    async accept(_tenantId, calls) {
      store.runs.accept++;
      store.accepted.push(...calls);
      if (store.losesNext) throw new Error("the connection was lost");
      return calls.map((call) => String(store.accepted.indexOf(call) + 1));
    },
    async end(_tenantId, calls) {
      store.runs.end++;
      for (const call of calls) store.ended.set(call.seq, call);
    },
    async acknowledge(_tenantId, calls) {
      store.acknowledged.push(...calls.map(({ seq }) => seq));
    },
    async play() {},
    async note() {},
    ask: async () => false,
    takeAsked: async () => [],
    soundAt: async () => undefined,
    async byRefs(_tenantId, refs) {
      const found = [...store.accepted.entries()].filter(([, { ref }]) => refs.includes(ref));
      return new Map(found.map(([i, { ref }]) => [ref, String(i + 1)]));
    },
    async fromHandset() {
      throw new Error("a test puts what is owed into `owed`");
    },
    owing: async (now) => (store.owed.length > 0 ? [{ tenantId: "tenant", tenantNow: now }] : []),
    async serveOwed(_tenantId, _now, limit, serve) {
      const owed = store.owed.slice(0, limit);
      await serve(owed);
      store.owed.splice(0, owed.length);
      return owed.length;
    },
    async clockOffsetMs() {
      store.runs.clock++;
      return store.offsetMs;
    },
    read: async () => [],
    traffic: async () => ({ accepted: 0, distinct: 0, duplicates: 0, after_opt_out: 0, outside_window: 0 }),
  };
  return store;
}
