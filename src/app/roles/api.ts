import type { Server } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bulkRunner } from "#app/bulk/bulk.ts";
import { importRunner } from "#app/bulk/imports.ts";
import { wire } from "#app/context.ts";
import { webCalls } from "#app/plane/web-calls.ts";
import { boundHeap } from "#app/process/heap.ts";
import { sayKnownKeys } from "#app/process/known-keys.ts";
import { startUploads } from "#app/process/object-uploads.ts";
import { runPhases } from "#app/process/phases.ts";
import { measurePressure } from "#app/process/pressure.ts";
import { VERSION } from "#app/process/release.ts";
import { sharedAnswer } from "#app/process/shared-answer.ts";
import { startWatchdog } from "#app/process/watchdog.ts";
import { startWitness } from "#app/process/witness.ts";
import { type Config, inheritedEnv } from "#app/settings/config.ts";
import { callsTranscribed } from "#app/speech.ts";
import { httpApp } from "#http/app.ts";
import { countRecordingAlarms } from "#operations/calls/check-recordings.ts";
import { networkDrops, objectUploads } from "#operations/system/read-system.ts";
import * as ready from "#store/database/ready.ts";
import { openReplica } from "#store/database/replica.ts";
import { aboutThis } from "./about.ts";
import type { Part } from "./worker.ts";

const CONSOLE_FOLDER = fileURLToPath(new URL("../../../console/dist", import.meta.url));

/** Times between this process and the database that are further apart than this make windows and leases wrong. */
const MAX_SKEW_MS = 1_000;

/** To resume, stop or delete a campaign of a million leads is one statement; so is what is asked of a tenant's whole past. */
const ANSWER_WITHIN_MS = 120_000;
/** Connections that inbound texts and readiness have to themselves: a text takes one for some milliseconds. */
const INBOUND_POOL = 3;
/** Health may be requested without limit: the database is queried this often. */
const HEALTH_KEPT_MS = 500;
/** A pool from which nothing has come for this long is not busy but stuck. */
const MAX_QUEUE_MS = 5_000;

/** For requests that are being answered when we stop; what takes longer is cut off. */
const LOOK_AT_STREAMS_EVERY_MS = 100;
const DRAIN_WITHIN_MS = 15_000;
const CLOSE_WITHIN_MS = 3_000;

/** Calls by the microphones of pages, at a time. */
const MAX_WEB_CALLS = 10;

export type Api = Part & { url: string };

/** Starts the api role: HTTP on the configured address, port 0 for any free one. `held`: what has taken that port already, as root. */
export async function startApi(config: Config, databaseUrl: string, held?: Server): Promise<Api> {
  boundHeap();
  const wired = wire({ ...config, answerWithinMs: ANSWER_WITHIN_MS }, databaseUrl, "api");
  const replica =
    config.databaseReplicaUrl === undefined
      ? undefined
      : openReplica({
          ...{ url: config.databaseReplicaUrl, primary: wired.ctx.db, maxLagMs: config.replicaLagMs },
          ...{ poolSize: config.databasePool, applicationName: "parley replica", answerWithinMs: ANSWER_WITHIN_MS },
        });
  const ctx = { ...wired.ctx, replica };
  const inbound = wire({ ...config, databasePool: INBOUND_POOL }, databaseUrl, "api inbound");
  const known = await sayKnownKeys(ctx, "api");
  const recent = [wired.recent, inbound.recent];
  const record = startWitness(ctx, { processId: ctx.node.id, role: "api", recent });
  const pressure = measurePressure({ db: ctx.db, inbound: inbound.ctx.db }, () => ctx.now());
  const watchdog = await startWatchdog(config, {
    databaseUrl: config.databaseSessionUrl ?? databaseUrl,
    name: "api",
    log: ctx.log,
  });
  const openStreams = { count: 0 };
  let draining = false;
  const bulk = bulkRunner(ctx, config, databaseUrl);
  const uploads = startUploads(ctx);
  const imports = importRunner(ctx, config, databaseUrl);
  // One audio process can handle no more, and few people try an agent at once.
  const webCallLimit = Math.min(config.mediaCalls, callsTranscribed(config), MAX_WEB_CALLS);
  const calls = webCalls(
    {
      callsPerChild: webCallLimit,
      entry: new URL("../plane/child.ts", import.meta.url),
      env: inheritedEnv({}),
      log: ctx.log,
    },
    webCallLimit,
  );
  const database = sharedAnswer(() => ready.check(inbound.ctx.db, () => ctx.now(), VERSION), HEALTH_KEPT_MS);
  const health = {
    draining: () => draining,
    async ready() {
      const state = await database();
      const { migrations, skewMs } = state;
      const clock = skewMs !== null && Math.abs(skewMs) > MAX_SKEW_MS ? `${skewMs} ms away from the database's` : null;
      const pool = pressure.databaseMs() > MAX_QUEUE_MS ? "no connection to the database comes free" : null;
      return { process: draining ? "draining" : null, database: state.database, migrations, clock, pool };
    },
    recordingAlarms: sharedAnswer(() => countRecordingAlarms(ctx), HEALTH_KEPT_MS),
    networkDrops: sharedAnswer(() => networkDrops(ctx), HEALTH_KEPT_MS),
    objectUploads: sharedAnswer(async () => {
      const own = uploads.state();
      return [...(await objectUploads(ctx)), ...(own ? [{ node: "api", ...own }] : [])];
    }, HEALTH_KEPT_MS),
    replica: () => replica?.state(),
  };
  const app = await httpApp({ ctx, inbound: inbound.ctx }, health, bulk.run, calls, {
    poweredBy: config.poweredBy,
    baseUrl: config.baseUrl,
    publicUrl: config.publicUrl,
    facts: aboutThis(config, ctx.numberPlan, ctx.now()),
    consoleFolder: CONSOLE_FOLDER,
    requestsPerSecond: config.rateLimit,
    authFailuresPerMinute: config.authFailureLimit,
    trustedProxies: config.trustedProxies,
    metricsToken: config.metricsToken,
    hasReference: config.reference === "open",
    requestTimeoutMs: config.requestTimeoutMs,
    waitMs: pressure.waitMs,
    overloadMs: config.overloadMs,
    maxUploadBytes: config.maxUploadBytes,
    openStreams,
  });
  const warning = await ready.ownerWarning(ctx.db);
  if (warning !== undefined) ctx.log.warn({}, warning);
  // Node listens on a handle that is there where it is given one.
  const handle = held && { handle: (held as Server & { _handle: unknown })._handle };
  const address = await app.listen({ host: config.host, port: config.port, ...handle });
  return {
    url: config.baseUrl ?? address,
    async stop() {
      // From here on every answer closes its connection: later requests reach another node, and lose nothing.
      draining = true;
      await pause(config.shutdownGraceMs);
      if (openStreams.count > 0) {
        const over = async () => {
          while (openStreams.count > 0) await pause(LOOK_AT_STREAMS_EVERY_MS);
        };
        await runPhases([{ name: "streams", withinMs: config.streamGraceMs, run: over }], ctx.log);
      }
      const closed = await runPhases([{ name: "drain", withinMs: DRAIN_WITHIN_MS, run: () => app.close() }], ctx.log);
      // Not before: admission depends on it, and a last late measurement would stay for good.
      pressure.stop();
      if (closed.length > 0) app.server.closeAllConnections();
      await runPhases(
        [
          { name: "bulk", withinMs: CLOSE_WITHIN_MS, run: bulk.stop },
          { name: "calls", withinMs: CLOSE_WITHIN_MS, run: calls.close },
          { name: "imports", withinMs: CLOSE_WITHIN_MS, run: imports.stop },
          { name: "witness", withinMs: CLOSE_WITHIN_MS, run: record.stop },
          { name: "sealing keys", withinMs: CLOSE_WITHIN_MS, run: known.stop },
          { name: "uploads", withinMs: CLOSE_WITHIN_MS, run: () => uploads.stop(CLOSE_WITHIN_MS) },
          { name: "replica", withinMs: CLOSE_WITHIN_MS, run: async () => replica?.close() },
          { name: "close", withinMs: CLOSE_WITHIN_MS, run: wired.close },
          { name: "watchdog", withinMs: CLOSE_WITHIN_MS, run: watchdog.stop },
          { name: "close inbound", withinMs: CLOSE_WITHIN_MS, run: inbound.close },
        ],
        ctx.log,
      );
    },
  };
}
