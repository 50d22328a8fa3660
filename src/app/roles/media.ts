import { join } from "node:path";
import { pino } from "pino";
import { readJournals } from "#adapters/files/read-journals.ts";
import { JOURNAL, wire } from "#app/context.ts";
import { adoptLeft, keepRecording, OPEN_RECORDINGS } from "#app/plane/recordings.ts";
import { takeStreamCalls } from "#app/plane/stream-accounts.ts";
import { openSound, takeSipCalls } from "#app/plane/voice-lines.ts";
import { aliveReporter } from "#app/process/alive.ts";
import { dropReporter } from "#app/process/drops.ts";
import { answerOn, byRightClock, leavePlace } from "#app/process/duties.ts";
import { sayKnownKeys } from "#app/process/known-keys.ts";
import { loop, quietly } from "#app/process/loop.ts";
import { guardByMark, MARK_EVERY_MS, noteMark } from "#app/process/mark.ts";
import { startUploads } from "#app/process/object-uploads.ts";
import { runPhases } from "#app/process/phases.ts";
import { takePlace } from "#app/process/place.ts";
import { startWatchdog } from "#app/process/watchdog.ts";
import { startWitness } from "#app/process/witness.ts";
import type { Config } from "#app/settings/config.ts";
import { startJobs } from "#jobs/worker.ts";
import { adoptRecording, callsOver } from "#operations/calls/adopt-recording.ts";
import { recoverCalls } from "#operations/calls/recover-calls.ts";
import {
  adoptCalls,
  answerCall,
  dropCalls,
  endStoppedCalls,
  endUnheld,
  finishCalls,
  passInjections,
} from "#operations/dialing/conduct-calls.ts";
import { trunkCallTaker } from "#operations/numbers/take-trunk-calls.ts";
import { replayOptOuts } from "#operations/restore/replay-opt-outs.ts";
import { heedStops } from "#operations/sending/stop-sending.ts";
import type { IncomingCall } from "#ports/call-line.ts";
import * as nodes from "#store/system/nodes.ts";
import { queuePools } from "./queue-pool.ts";
import type { Part } from "./worker.ts";

/** A call that is to end has to be ended within a second. */
const OBEY_EVERY_MS = 300;
/** A tenant's trunk that was connected, changed, suspended or removed counts this soon. */
const LOOK_FOR_TRUNKS_EVERY_MS = 1_000;
/** Calls to us over the simulated carrier are looked for this often. */
const DELIVER_EVERY_MS = 100;
const REJOIN_EVERY_MS = 500;
const REPORT_DROPS_EVERY_MS = 2_000;
/** Workers do it as well; this is for calls of this node that it has lost. */
const RECOVER_EVERY_MS = 2_000;
/**
 * A process whose place is lost for this long holds no calls any more: others give them up 5 s after they have found it lost
 * (operations/sending/recover-attempts.ts), and may call the same people again.
 */
const HOLD_WITHOUT_PLACE_MS = 3_000;
/** What a node that died has left is found this soon after its calls were given up: before anybody looks into them (store/calls/ends.ts). */
const ADOPT_EVERY_MS = 5_000;
/** Time to store the results of calls that have ended. */
const SETTLE_WITHIN_MS = 10_000;
/** Recordings of the last calls. What is not uploaded by then waits on the disk for the next start. */
const UPLOAD_WITHIN_MS = 10_000;
const CLOSE_WITHIN_MS = 3_000;

/** Starts the media role: the dialer, and the calls that it places. They live in this process and end with it. */
export async function startMedia(config: Config, databaseUrl: string): Promise<Part> {
  const log = pino({ name: "media", level: config.logLevel });
  const sound = await openSound(config, log);
  const sessionUrl = config.databaseSessionUrl ?? databaseUrl;
  const started = wire(config, databaseUrl, "media", undefined, sound);
  // Before anything can be dialled, and again when the database comes back: it may be another day's.
  const guard = () => guardByMark(started.ctx, config.dataDir, "nobody is called");
  await guard();
  const { db, now, newId } = started.ctx;
  const known = await sayKnownKeys(started.ctx, "media node");
  const processId = started.ctx.node.id;
  const place = await takePlace(
    {
      take: (id) => nodes.join(sessionUrl, db, { id, process: processId, roles: ["media"], now }),
      newId,
      async note(id, names) {
        await nodes.noteWorkers(db, id, names);
        if (sound.streams) await nodes.noteAddress(db, id, sound.streams.bridge.address);
      },
      moved: (node) =>
        log.warn({ node }, "the connection that held this media node's place was lost; it has taken another"),
      adopt: (ids) => adoptCalls(ctx, ids),
    },
    processId,
  );
  started.ctx.log.info({ node: place.lease.id }, "this media node has taken its place");
  const watchdog = await startWatchdog(config, { databaseUrl: sessionUrl, name: "media", log });
  const ctx = { ...started.ctx, node: place.lease };
  const record = startWitness(ctx, { processId, role: "media", recent: [started.recent], lease: place.lease });
  const stopping = new AbortController();
  const queue = queuePools(config, databaseUrl, nodes.sessionName("jobs", processId));
  const jobs = await startJobs(ctx, queue, stopping.signal, "media");
  await place.answerAs(jobs.lockedBy());
  const letGo = async () => {
    if (place.withoutMs() > HOLD_WITHOUT_PLACE_MS) dropCalls(ctx);
  };
  const on = { signal: stopping.signal, log: ctx.log };
  // Calls go on while the dialer has stopped, and so must what keeps them.
  const ending = new AbortController();
  const keeping = { signal: ending.signal, log: ctx.log };
  const answering = loop(
    "jobs",
    REJOIN_EVERY_MS,
    quietly(() => answerOn(ctx, place, jobs, stopping.signal)),
    on,
  );
  const loops = [
    loop(
      "rejoin",
      REJOIN_EVERY_MS,
      quietly(() => place.keep(guard)),
      keeping,
    ),
    // As workers do: there may be no worker on this machine to raise the fence.
    loop(
      "mark",
      MARK_EVERY_MS,
      quietly(() => noteMark(ctx, config.dataDir)),
      keeping,
    ),
    loop("alive", REJOIN_EVERY_MS, quietly(aliveReporter(ctx)), keeping),
    loop("hold", REJOIN_EVERY_MS, quietly(letGo), keeping),
    loop("drops", REPORT_DROPS_EVERY_MS, quietly(dropReporter(ctx, sound.drops)), keeping),
    loop(
      "stops",
      OBEY_EVERY_MS,
      quietly(() => Promise.all([endStoppedCalls(ctx), passInjections(ctx), heedStops(ctx)])),
      keeping,
    ),
  ];
  const recover = async (signal: AbortSignal) => {
    await recoverCalls(ctx, signal);
    await endUnheld(ctx);
  };
  const recovering = loop("recover", RECOVER_EVERY_MS, byRightClock(place)(quietly(recover)), on);
  // Once: opt-outs that a media process of this machine recognised, but died before it could store.
  let isReplayed = false;
  const replay = async () => {
    if (isReplayed) return;
    await replayOptOuts(ctx, readJournals([join(config.dataDir, JOURNAL)], "media"));
    isReplayed = true;
  };
  const replaying = loop("journal", RECOVER_EVERY_MS, quietly(replay), on);
  const incoming = (call: IncomingCall) => answerCall(ctx, call);
  const folder = join(config.dataDir, OPEN_RECORDINGS);
  const adopt = () =>
    adoptLeft(folder, {
      over: (callIds) => callsOver(ctx, callIds),
      adopt: (callId, salvage) =>
        adoptRecording(ctx, callId, async (tenantId) => {
          const recording = await salvage();
          return recording && keepRecording(ctx.objects, { tenantId, callId }, recording);
        }),
    });
  const adopting = loop("recordings", ADOPT_EVERY_MS, quietly(adopt), on);
  const trunks = loop("trunks", LOOK_FOR_TRUNKS_EVERY_MS, quietly(trunkCallTaker(ctx)), on);
  takeSipCalls(sound, {
    trunks: started.trunks,
    accounts: ctx.carriers.accounts,
    db: ctx.db,
    lines: ctx.lines,
    incoming,
    stopping: stopping.signal,
    now: ctx.now,
    log,
  });
  if (sound.streams)
    takeStreamCalls(sound.streams, {
      accounts: ctx.carriers.accounts,
      db: ctx.db,
      incoming,
      stopping: stopping.signal,
      now: ctx.now,
      log,
    });
  const uploads = startUploads(ctx, (state) => nodes.noteObjects(ctx.db, ctx.node.id, state));
  const bringing = loop(
    "incoming calls",
    DELIVER_EVERY_MS,
    async (signal) => (await started.simulatedCalls.deliver(incoming, ctx.now(), signal)) > 0,
    on,
  );
  return {
    async stop() {
      stopping.abort();
      const dialing = Promise.all([answering, recovering, replaying, bringing, adopting, trunks, jobs.stop()]).then(
        () => jobs.stop(),
      );
      const calls = () => dialing.then(() => finishCalls(ctx, config.callGraceMs));
      const withinMs = config.callGraceMs + SETTLE_WITHIN_MS;
      const unsettled = await runPhases([{ name: "calls", withinMs, run: calls }], ctx.log);
      await uploads.stop(UPLOAD_WITHIN_MS);
      ending.abort();
      await Promise.all(loops);
      await runPhases([{ name: "sound", withinMs: CLOSE_WITHIN_MS, run: sound.close }], ctx.log);
      await leavePlace(place, unsettled.length === 0, ctx.log);
      await runPhases([{ name: "witness", withinMs: CLOSE_WITHIN_MS, run: record.stop }], ctx.log);
      await runPhases([{ name: "sealing keys", withinMs: CLOSE_WITHIN_MS, run: known.stop }], ctx.log);
      const close = () => Promise.all([watchdog.stop(), started.close()]);
      await runPhases([{ name: "close", withinMs: CLOSE_WITHIN_MS, run: close }], ctx.log);
    },
  };
}
