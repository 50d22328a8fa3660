import assert from "node:assert/strict";
import { test } from "node:test";
import type { Owed, SimulatorStore } from "#ports/handset-network.ts";
import type { InboundText } from "#ports/sms-carrier.ts";
import { deliverOwed } from "./deliveries.ts";

const NOW = new Date("2026-03-02T17:00:00Z");
/** A transaction that has been idle for so long the server ends. */
const ENDED_AFTER_MS = 15_000;

const owedText = (i: number, handset = `+1212444${String(i).padStart(4, "0")}`): Owed => ({
  ...{ seq: String(i), kind: "inbound", handset, number: "+12125550100", text: `Text ${i}`, at: NOW },
  ...{ ref: null, purpose: null },
});

/** The carrier's records in memory, and how long each of its transactions was open by a clock that the test moves. */
function aStore(owed: Owed[]) {
  const clock = { ms: 0 };
  const openMs: number[] = [];
  const store: Pick<SimulatorStore, "owing" | "serveOwed" | "scripts" | "saidCounts"> = {
    owing: async (now) => (owed.length > 0 ? [{ tenantId: "tenant", tenantNow: now }] : []),
    async serveOwed(_tenantId, _now, limit, serve) {
      const begunMs = clock.ms;
      const { served } = await serve(owed.slice(0, limit));
      openMs.push(clock.ms - begunMs);
      for (const one of served) owed.splice(owed.indexOf(one), 1);
      return served.length;
    },
    scripts: async () => new Map(),
    saidCounts: async () => new Map(),
  };
  return { store: store as SimulatorStore, clock, openMs };
}

test("what is owed is brought by transactions that the server does not end, however long webhooks take", async () => {
  const owed = Array.from({ length: 900 }, (_, i) => owedText(i));
  const { store, clock, openMs } = aStore(owed);
  const brought: string[] = [];
  const inbound = async (_tenantId: string, texts: readonly InboundText[]) => {
    // STOPs that wait for what is on its way to their phones.
    clock.ms += 6_000;
    brought.push(...texts.map(({ carrierId }) => carrierId));
  };
  const n = await deliverOwed(store, { inbound }, NOW, new AbortController().signal, () => clock.ms);
  assert.equal(n, 900);
  assert.deepEqual([owed.length, brought.length, new Set(brought).size], [0, 900, 900]);
  assert.ok(Math.max(...openMs) < ENDED_AFTER_MS, `${Math.max(...openMs)} ms`);
});

test("texts of one handset are brought in their order, and twice where it has everything brought twice", async () => {
  const twice = "+12125550141";
  const owed = [owedText(1, twice), owedText(2), owedText(3, twice), owedText(4)];
  const { store } = aStore([...owed]);
  const webhooks: string[][] = [];
  const inbound = async (_tenantId: string, texts: readonly InboundText[]) =>
    void webhooks.push(texts.map(({ text }) => text));
  await deliverOwed(store, { inbound }, NOW, new AbortController().signal);
  assert.deepEqual(webhooks, [
    ["Text 1", "Text 2", "Text 3", "Text 4"],
    ["Text 1", "Text 3"],
  ]);
});
