import { deliverOwed } from "#adapters/carriers/simulator/deliveries.ts";
import { startJobs } from "#jobs/worker.ts";
import { pollBrands } from "#operations/read-brands.ts";
import { receiveMessage } from "#operations/receive-message.ts";
import { recordReceipts } from "#operations/record-receipts.ts";
import { recoverAttempts } from "#operations/recover-attempts.ts";
import { finishCampaigns, ringDue, tidy } from "#operations/sweep.ts";
import * as nodes from "#store/nodes.ts";
import * as statistics from "#store/statistics.ts";
import type { Config } from "./config.ts";
import { wire } from "./context.ts";
import { loop } from "./loop.ts";

/** The simulated carrier's webhooks: looked for this often, and at once again while there are more. */
const DELIVER_EVERY_MS = 50;
/** A killed worker's texts are looked into within this and the carrier's settle time. */
const RECOVER_EVERY_MS = 500;
const FINISH_EVERY_MS = 500;
const STATISTICS_EVERY_MS = 1_000;
/** A worker whose lock was lost with its connection may send nothing; it takes another this soon. */
const REJOIN_EVERY_MS = 500;

export type Part = { stop(): Promise<void> };

/** Starts the worker role: jobs, and the loops that see to it that a lost job costs time and nothing else. */
export async function startWorker(config: Config, databaseUrl: string): Promise<Part> {
  const started = wire(config, databaseUrl, "worker");
  const join = (id: string) =>
    nodes.join(databaseUrl, started.ctx.db, { id, roles: ["worker"], now: started.ctx.now() });
  let node = await join(started.ctx.node.id);
  const lease = {
    get id() {
      return node.id;
    },
    alive: () => node.alive(),
  };
  const ctx = { ...started.ctx, node: lease };
  const stopping = new AbortController();
  const events = {
    receipts: (tenantId: string, receipts: Parameters<typeof recordReceipts>[2]) =>
      recordReceipts(ctx, tenantId, receipts),
    inbound: (tenantId: string, text: Parameters<typeof receiveMessage>[2]) => receiveMessage(ctx, tenantId, text),
  };
  const jobs = await startJobs(ctx, databaseUrl);
  await nodes.noteWorkers(ctx.db, node.id, jobs.lockedBy);
  // As a new node: what the lost one had in flight is doubted by whoever found it lost.
  const rejoin = async () => {
    if (node.alive()) return;
    node = await join(ctx.newId());
    await nodes.noteWorkers(ctx.db, node.id, jobs.lockedBy);
    ctx.log.warn({ node: node.id }, "the connection that held this worker's place was lost; it has taken another");
  };
  const on = { signal: stopping.signal, log: ctx.log };
  const quietly = (work: () => Promise<unknown>) => async () => {
    await work();
    return false;
  };
  const loops = [
    loop("rejoin", REJOIN_EVERY_MS, quietly(rejoin), on),
    loop(
      "simulator",
      DELIVER_EVERY_MS,
      async (signal) => (await deliverOwed(started.books, events, ctx.now(), signal)) > 0,
      on,
    ),
    loop("recover", RECOVER_EVERY_MS, (signal) => quietly(() => recoverAttempts(ctx, signal))(), on),
    loop(
      "statistics",
      STATISTICS_EVERY_MS,
      quietly(() => statistics.refresh(ctx.db)),
      on,
    ),
    loop(
      "brands",
      config.sweepIntervalMs,
      quietly(() => pollBrands(ctx)),
      on,
    ),
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
