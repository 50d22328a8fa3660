import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { type RecentEntries, witness } from "#operations/restore/vouch.ts";
import { loop, quietly } from "./loop.ts";
import { VERSION } from "./release.ts";

/** A server that took over is looked at this soon; without it nothing is claimed. */
const STEP_EVERY_MS = 500;

type WitnessOf = {
  processId: Uuid;
  role: string;
  recent: readonly RecentEntries[];
  /** Of a process that hands over: its place in the register of nodes. */
  lease?: { id: Uuid; alive(): boolean };
};

/** Has this process say of its database, for as long as it runs, that nothing of what it did is missing there. */
export function startWitness(ctx: Context, { lease, ...whose }: WitnessOf): { stop(): Promise<void> } {
  const { step, leave } = witness(ctx, {
    ...whose,
    release: VERSION,
    place: () => (lease?.alive() ? lease.id : undefined),
  });
  const ending = new AbortController();
  const stepping = loop("witness", STEP_EVERY_MS, quietly(step), { signal: ending.signal, log: ctx.log });
  return {
    async stop() {
      ending.abort();
      await stepping;
      await leave().catch((err) => ctx.log.warn({ err }, "this process stays noted as one that runs"));
    },
  };
}
