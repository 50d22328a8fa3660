import { join } from "node:path";
import { deliverOwed } from "#adapters/simulator/deliveries.ts";
import { AUDIT_HEADS, wire } from "#app/context.ts";
import { runDemos } from "#app/demo/demo.ts";
import { aliveReporter } from "#app/process/alive.ts";
import { carrierSessions } from "#app/process/carrier-sessions.ts";
import { keepHeads } from "#app/process/daily-heads.ts";
import { answerOn, byRightClock, leavePlace } from "#app/process/duties.ts";
import { sayKnownKeys } from "#app/process/known-keys.ts";
import { loop, quietly, stretchOver } from "#app/process/loop.ts";
import { guardByMark, MARK_EVERY_MS, noteMark } from "#app/process/mark.ts";
import { startUploads } from "#app/process/object-uploads.ts";
import { runPhases } from "#app/process/phases.ts";
import { takePlace } from "#app/process/place.ts";
import { startWatchdog } from "#app/process/watchdog.ts";
import { startWitness } from "#app/process/witness.ts";
import type { Config } from "#app/settings/config.ts";
import { startJobs } from "#jobs/worker.ts";
import { checkRecordings } from "#operations/calls/check-recordings.ts";
import { recoverCalls } from "#operations/calls/recover-calls.ts";
import { countActivity } from "#operations/campaigns/count-activity.ts";
import { reportProgress } from "#operations/campaigns/report-progress.ts";
import { readDeactivations } from "#operations/compliance/read-deactivations.ts";
import { joinOverdueParts } from "#operations/messaging/join-parts.ts";
import { receiveMessages } from "#operations/messaging/receive-message.ts";
import { judgeNumbers } from "#operations/numbers/judge-numbers.ts";
import { lookUpLists } from "#operations/numbers/look-up-numbers.ts";
import { settleOrders } from "#operations/numbers/settle-orders.ts";
import { pollBrands } from "#operations/registration/read-brands.ts";
import { pollTenDlcCampaigns } from "#operations/registration/read-ten-dlc-campaigns.ts";
import { pollTollFree } from "#operations/registration/toll-free.ts";
import { sweepEarlyReceipts } from "#operations/sending/record-named-receipts.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import { heedStops } from "#operations/sending/stop-sending.ts";
import { enqueueDue, finishCampaigns, removeDoomedObjects, tidy } from "#operations/sending/sweep.ts";
import { chainRecords, journalChains } from "#operations/system/chain-records.ts";
import { numberEvents } from "#operations/system/number-events.ts";
import { removeExpired } from "#operations/system/remove-expired.ts";
import { removeOld } from "#operations/system/retention.ts";
import * as statistics from "#store/database/statistics.ts";
import * as nodes from "#store/system/nodes.ts";
import { sessionLocks } from "#store/system/session-locks.ts";
import { queuePools } from "./queue-pool.ts";

/** The simulated carrier's webhooks. Where nobody uses it, or nobody just now, looking for them is most of what an idle worker does. */
const DELIVER_REST = { leastMs: 50, mostMs: 200 };
/** Sending that is to stop has stopped within two seconds, and a carrier may need one of them for what it has. */
const HEED_STOPS_EVERY_MS = 200;
/** Of lists whose phones' lines are to be looked up: somebody may be waiting for it. */
const LISTS_EVERY_MS = 2_000;
/** A killed worker's texts are looked into within this and the carrier's settle time. */
const RECOVER_EVERY_MS = 500;
const FINISH_EVERY_MS = 500;
const STATISTICS_EVERY_MS = 1_000;
/** A follower of the log sees a change at most this much later, plus the time to read it. */
const NUMBER_EVERY_MS = 100;
/** For so long a change could be taken out of the audit log unseen, by somebody who has the database. */
const CHAIN_EVERY_MS = 500;
/** For so long the end of a chain could be. */
const JOURNAL_HEADS_EVERY_MS = 10_000;
/** Progress of campaigns is reported once a second; checked twice as often, so that it is never later. */
const PROGRESS_EVERY_MS = 500;
/** Charts show what happened at most this much later. */
const COUNT_EVERY_MS = 1_000;
/** A person waits for demo data. */
const DEMO_EVERY_MS = 500;
/** A worker whose lock was lost with its connection may send nothing; it takes another this soon. */
const REJOIN_EVERY_MS = 500;
/** An open transaction of a lost process blocks a lane, and every STOP of its contacts. */
const END_SESSIONS_EVERY_MS = 1_000;
/** By then the server's own limits have ended what could not be ended from here. */
const END_SESSIONS_FOR_MS = 300_000;
/** For the batches on their way to the carrier, and the webhooks being taken in, to be settled. */
const SETTLE_WITHIN_MS = 20_000;
const CLOSE_WITHIN_MS = 3_000;

/** Another worker takes over a killed one's sessions with carriers within five seconds: this, and the time to connect. */
const SESSIONS_EVERY_MS = 1_000;
/** A text that is due over a session leaves at most this much later. */
const OVER_SESSIONS_REST = { leastMs: 20, mostMs: 200 };
/** An answer that is on its way when a session ends is waited for, as long as the protocol has it. */
const DISCONNECT_WITHIN_MS = 12_000;

export type Part = { stop(): Promise<void> };

/** Starts the worker role: jobs, and the loops that see to it that a lost job costs time and nothing else. */
export async function startWorker(config: Config, databaseUrl: string): Promise<Part> {
  const sessionUrl = config.databaseSessionUrl ?? databaseUrl;
  const started = wire(config, databaseUrl, "worker");
  // Before anything can be sent, and again when the database comes back: it may be another day's.
  const guard = () => guardByMark(started.ctx, config.dataDir, "nothing is sent");
  await guard();
  const { db, log, now, newId } = started.ctx;
  const known = await sayKnownKeys(started.ctx, "worker");
  const processId = started.ctx.node.id;
  const place = await takePlace(
    {
      take: (id) => nodes.join(sessionUrl, db, { id, process: processId, roles: ["worker"], now }),
      newId,
      note: (id, names) => nodes.noteWorkers(db, id, names),
      moved: (node) =>
        log.warn({ node }, "the connection that held this worker's place was lost; it has taken another"),
    },
    processId,
  );
  started.ctx.log.info({ node: place.lease.id }, "this worker has taken its place");
  const watchdog = await startWatchdog(config, { databaseUrl: sessionUrl, name: "worker", log: started.ctx.log, db });
  const ctx = { ...started.ctx, node: place.lease, watch: watchdog };
  const record = startWitness(ctx, { processId, role: "worker", recent: [started.recent], lease: place.lease });
  const stopping = new AbortController();
  const inbound = (tenantId: string, texts: Parameters<typeof receiveMessages>[2]) =>
    receiveMessages(ctx, tenantId, texts);
  const events = {
    receipts: (tenantId: string, receipts: Parameters<typeof recordReceipts>[2]) =>
      recordReceipts(ctx, tenantId, receipts),
    inbound,
  };
  const webhooks = config.simulatorReports === "nothing" ? { inbound } : events;
  const sessions = carrierSessions({ ctx, openLocks: (lost) => sessionLocks(sessionUrl, processId, lost) });
  const queue = queuePools(config, databaseUrl, nodes.sessionName("jobs", processId));
  const jobs = await startJobs(ctx, queue, stopping.signal);
  await place.answerAs(jobs.lockedBy());
  // As a new node: what the lost one had in flight is put in doubt by the node that found it lost.
  let wasSkewed = false;
  const rejoin = async () => {
    const skewMs = place.node().skewMs();
    if (skewMs !== 0 && !wasSkewed) ctx.log.error({ skewMs }, "this machine's clock is wrong; nothing is sent");
    wasSkewed = skewMs !== 0;
    await place.keep(guard);
  };
  const endSessions = async () => {
    const lost = await nodes.lostProcesses(ctx.db, new Date(ctx.now().getTime() - END_SESSIONS_FOR_MS));
    const sessions = lost.length === 0 ? 0 : await place.node().endSessions(lost);
    if (sessions > 0)
      ctx.log.warn({ processes: lost, sessions }, "lost processes were in transactions; they are ended");
  };
  const on = { signal: stopping.signal, log: ctx.log };
  const overAll = { ...on, stretch: stretchOver(ctx.db) };
  const rightly = byRightClock(place);
  const uploads = startUploads(ctx, (state) => nodes.noteObjects(ctx.db, ctx.node.id, state));
  const reportAlive = aliveReporter(ctx);
  const loops = [
    loop("rejoin", REJOIN_EVERY_MS, quietly(rejoin), on),
    loop(
      "jobs",
      REJOIN_EVERY_MS,
      quietly(() => answerOn(ctx, place, jobs, stopping.signal)),
      on,
    ),
    loop("lost sessions", END_SESSIONS_EVERY_MS, quietly(endSessions), on),
    loop(
      "simulator",
      DELIVER_REST,
      async (signal) => (await deliverOwed(started.store, webhooks, ctx.now(), signal)) > 0,
      overAll,
    ),
    loop("demo data", DEMO_EVERY_MS, rightly(quietly((signal) => runDemos(ctx, signal))), overAll),
    loop(
      "stops",
      HEED_STOPS_EVERY_MS,
      quietly(() => heedStops(ctx)),
      overAll,
    ),
    loop("carrier sessions", SESSIONS_EVERY_MS, quietly(sessions.keep), on),
    loop("texts over sessions", OVER_SESSIONS_REST, sessions.drain, on),
    loop("recover", RECOVER_EVERY_MS, rightly(quietly((signal) => recoverAttempts(ctx, signal))), overAll),
    loop("recover calls", RECOVER_EVERY_MS, rightly(quietly((signal) => recoverCalls(ctx, signal))), overAll),
    loop(
      "mark",
      MARK_EVERY_MS,
      quietly(async () => {
        await noteMark(ctx, config.dataDir);
        await reportAlive();
      }),
      on,
    ),
    loop(
      "statistics",
      STATISTICS_EVERY_MS,
      quietly(() => statistics.refresh(ctx.db)),
      on,
    ),
    loop(
      "brands",
      config.sweepIntervalMs,
      rightly(
        quietly(async () => {
          await pollBrands(ctx);
          await pollTenDlcCampaigns(ctx);
          await pollTollFree(ctx);
          await settleOrders(ctx);
          await readDeactivations(ctx, stopping.signal);
        }),
      ),
      on,
    ),
    loop(
      "look-ups of lists",
      LISTS_EVERY_MS,
      rightly(() => lookUpLists(ctx, stopping.signal)),
      overAll,
    ),
    loop("ring", config.sweepIntervalMs, rightly(quietly(() => enqueueDue(ctx))), on),
    loop("finish", FINISH_EVERY_MS, rightly(quietly(() => finishCampaigns(ctx))), overAll),
    loop(
      "recordings",
      config.sweepIntervalMs,
      rightly(async () => (await checkRecordings(ctx)) > 0),
      on,
    ),
    loop("events", NUMBER_EVERY_MS, () => numberEvents(ctx), overAll),
    loop("chain", CHAIN_EVERY_MS, () => chainRecords(ctx), overAll),
    loop(
      "chain heads",
      JOURNAL_HEADS_EVERY_MS,
      quietly(async () => {
        await journalChains(ctx);
        await keepHeads(ctx, join(config.dataDir, AUDIT_HEADS));
      }),
      on,
    ),
    loop("activity", COUNT_EVERY_MS, () => countActivity(ctx, judgeNumbers), overAll),
    loop("progress", PROGRESS_EVERY_MS, rightly(quietly(() => reportProgress(ctx))), overAll),
    loop(
      "tidy",
      config.sweepIntervalMs,
      rightly(
        quietly(async () => {
          await tidy(ctx);
          await sweepEarlyReceipts(ctx);
          await joinOverdueParts(ctx);
        }),
      ),
      on,
    ),
    loop(
      "removals",
      config.sweepIntervalMs,
      quietly(() => removeDoomedObjects(ctx)),
      on,
    ),
    loop("retention", config.sweepIntervalMs, rightly(quietly(() => removeOld(ctx, config))), on),
    loop(
      "retention of tenants",
      config.sweepIntervalMs,
      rightly((signal) => removeExpired(ctx, signal)),
      on,
    ),
  ];
  return {
    async stop() {
      stopping.abort();
      // Again in the end: one of the loops may just have started another.
      const working = Promise.all([jobs.stop(), ...loops])
        .then(() => sessions.settled())
        .then(() => jobs.stop());
      const uploaded = uploads.stop(SETTLE_WITHIN_MS);
      const unsettled = await runPhases([{ name: "settle", withinMs: SETTLE_WITHIN_MS, run: () => working }], ctx.log);
      await uploaded;
      await runPhases([{ name: "disconnect", withinMs: DISCONNECT_WITHIN_MS, run: sessions.stop }], ctx.log);
      await leavePlace(place, unsettled.length === 0, ctx.log);
      await runPhases([{ name: "witness", withinMs: CLOSE_WITHIN_MS, run: record.stop }], ctx.log);
      await runPhases([{ name: "sealing keys", withinMs: CLOSE_WITHIN_MS, run: known.stop }], ctx.log);
      const close = () => Promise.all([watchdog.stop(), started.close()]);
      await runPhases([{ name: "close", withinMs: CLOSE_WITHIN_MS, run: close }], ctx.log);
    },
  };
}
