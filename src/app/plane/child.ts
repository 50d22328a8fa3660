import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { modelsOf } from "#app/models.ts";
import { readConfig } from "#app/settings/config.ts";
import { speechOf } from "#app/speech.ts";
import { callDialogs } from "#conversation/calls/dialog.ts";
import { dropCounter } from "#domain/system/network-drop.ts";
import { loadSilero } from "#media/audio/silero.ts";
import { spokenWhole } from "#media/audio/spoken.ts";
import { createScheduler, systemClock } from "#media/scheduler.ts";
import { createChildCalls } from "./child-calls.ts";
import { measuredCalls } from "./measured-calls.ts";
import { type ChildState, type FromChild, MEASURE, type ToChild } from "./protocol.ts";
import { OPEN_RECORDINGS } from "./recordings.ts";

// A child process of a media node: processes the audio of its calls only. It gets commands and reports events over IPC.

/** A voice that agents rarely use, and the one that pocketsphinx recognises best. */
const HANDSET_VOICE = { voiceId: "offline-rms", language: "en-US", speed: 1, temperature: 1 };
const LINE_WITHIN_MS = 30_000;

const config = readConfig();
const log = pino({ name: "media-plane", level: config.logLevel });
const { voice, speechToText } = speechOf(config);
const silero = await loadSilero();
const scheduler = createScheduler(systemClock);
const recordings = join(config.dataDir, OPEN_RECORDINGS);
mkdirSync(recordings, { recursive: true, mode: 0o700 });

/** Voice detection is batched over calls: sixty windows together cost half of what they cost a few at a time. So short a wait is inaudible. */
const JUDGED_WITHIN_MS = 10;

let isJudging = false;
const judge = () => {
  if (isJudging) return;
  isJudging = true;
  setTimeout(() => {
    isJudging = false;
    silero.run().catch((err) => log.error({ err }, "voice activity detection failed"));
  }, JUDGED_WITHIN_MS);
};

/** Dropped packets are reported as sums, so that a flood of packets causes no flood of messages. */
const REPORT_DROPS_EVERY_MS = 1_000;
const drops = dropCounter();
setInterval(() => {
  const since = drops.taken();
  if (Object.keys(since).length > 0) report({ say: "drops", drops: since });
}, REPORT_DROPS_EVERY_MS).unref();

const report = (message: FromChild) => {
  // It may go while this is written: `disconnect` says so.
  if (process.connected) process.send!(message, () => {});
};

const calls = createChildCalls({
  voice,
  speechToText,
  dialogs: callDialogs(modelsOf(config), () => new Date()),
  openDetector(onSpeech) {
    const stream = silero.open(onSpeech);
    return {
      push(samples) {
        stream.push(samples);
        judge();
      },
      close: () => stream.close(),
    };
  },
  sayLine: (line) => spokenWhole(voice, line, HANDSET_VOICE, AbortSignal.timeout(LINE_WITHIN_MS)),
  schedule: (tick) => scheduler.add((_nowMs, skipped) => tick(skipped)),
  recordings,
  rtp: {
    address: config.sipAddress,
    range: config.rtpPorts,
    ...(config.sipPublicAddress ? { publicAddress: config.sipPublicAddress } : {}),
  },
  send: report,
  count: drops.count,
  log,
});

let cpu = process.cpuUsage();
const state = (): ChildState => {
  const { user, system } = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  return {
    calls: calls.count(),
    lateness: scheduler.lateness(true),
    cpuMs: (user + system) / 1_000,
    rssBytes: process.memoryUsage.rss(),
  };
};

const cpuMicros = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Long enough that one pause of the collector counts little, short enough that calls are held back before many more have come. */
const PACE_EVERY_MS = 2_000;
let paced = { atMs: performance.now(), micros: cpuMicros() };
setInterval(() => {
  const now = { atMs: performance.now(), micros: cpuMicros() };
  const busy = (now.micros - paced.micros) / 1_000 / (now.atMs - paced.atMs);
  paced = now;
  const pace = { calls: calls.count(), lateMs: scheduler.lately(), busy };
  if (pace.calls > 0) report({ say: "pace", pace });
}, PACE_EVERY_MS).unref();

process.on("message", (message) => {
  const order = message as ToChild;
  if (order.do === "report") report({ say: "state", state: state() });
  else calls.take(order);
});
// The node is gone: these calls could not be reported any more, and other nodes may call the same people again.
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
// Ctrl-C in a terminal reaches this process too; the node handles it.
process.on("SIGINT", () => {});
report({
  say: "ready",
  ...(process.argv.includes(MEASURE) ? { carries: await measuredCalls(silero, cpuMicros) } : {}),
});
