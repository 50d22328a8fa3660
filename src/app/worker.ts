import { deliverOwed } from "#adapters/carriers/simulator/deliveries.ts";
import { startJobs } from "#jobs/worker.ts";
import { receiveMessage } from "#operations/receive-message.ts";
import { recordReceipts } from "#operations/record-receipts.ts";
import { recoverAttempts } from "#operations/recover-attempts.ts";
import { finishCampaigns, ringDue, tidy } from "#operations/sweep.ts";
import * as nodes from "#store/nodes.ts";
import type { Config } from "./config.ts";
import { wire } from "./context.ts";
import { loop } from "./loop.ts";

/** The simulated carrier's webhooks: looked for this often, and at once again while there are more. */
const DELIVER_EVERY_MS = 50;
/** A killed worker's texts are looked into within this and the carrier's settle time. */
const RECOVER_EVERY_MS = 500;
const FINISH_EVERY_MS = 500;

export type Part = { stop(): Promise<void> };

/** Starts the worker role: jobs, and the loops that see to it that a lost job costs time and nothing else. */
export async function startWorker(config: Config, databaseUrl: string): Promise<Part> {
  const started = wire(config, databaseUrl, "worker");
  const node = await nodes.join(databaseUrl, started.ctx.db, {
    id: started.ctx.node.id,
    roles: ["worker"],
    now: started.ctx.now(),
  });
  const ctx = { ...started.ctx, node: { id: started.ctx.node.id, alive: node.alive } };
  const stopping = new AbortController();
  const events = {
    receipts: (tenantId: string, receipts: Parameters<typeof recordReceipts>[2]) =>
      recordReceipts(ctx, tenantId, receipts),
    inbound: (tenantId: string, text: Parameters<typeof receiveMessage>[2]) => receiveMessage(ctx, tenantId, text),
  };
  const jobs = await startJobs(ctx, databaseUrl);
  const on = { signal: stopping.signal, log: ctx.log };
  const quietly = (work: () => Promise<unknown>) => async () => {
    await work();
    return false;
  };
  const loops = [
    loop(
      "simulator",
      DELIVER_EVERY_MS,
      async (signal) => (await deliverOwed(started.books, events, ctx.now(), signal)) > 0,
      on,
    ),
    loop("recover", RECOVER_EVERY_MS, (signal) => quietly(() => recoverAttempts(ctx, signal))(), on),
    loop(
      "ring",
      config.sweepIntervalMs,
      quietly(() => ringDue(ctx)),
      on,
    ),
    loop(
      "finish",
      FINISH_EVERY_MS,
      quietly(() => finishCampaigns(ctx)),
      on,
    ),
    loop(
      "tidy",
      config.sweepIntervalMs,
      quietly(() => tidy(ctx)),
      on,
    ),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all([jobs.stop(), ...loops]);
      await node.leave();
      await started.close();
    },
  };
}
