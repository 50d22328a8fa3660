import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createPlane, type PlaneCall } from "#app/plane/plane.ts";
import type { SoundResult } from "#app/plane/protocol.ts";
import { voiceAgent } from "#domain/agents/agent.ts";
import { FRAME_MS } from "#domain/calls/g711.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import { LATENESS_MS, type Lateness } from "#media/scheduler.ts";
import type { FromEcho, ToEcho } from "../call-echo.ts";
import type { FromLoad, ToLoad } from "../call-load.ts";
import { type Bench, quantile } from "../suite.ts";

const CALLS = 300;
const SECONDS = 40;
const WARM_UP_MS = 10_000;
const APART_MS = 40;
/** What an agent of the highest sensitivity needs to have recognised before it stops. */
const SPEECH_MS = 150;

/**
 * Whole calls in one media process, as a node has one a core: RTP both ways, jitter buffer, detector, speech-to-text by WebSocket, a model by HTTP
 * (stand-ins that answer at once), turn engine, the offline voice, a room around it, both sides recorded. A bare echo of the same packets is
 * held against their CPU time.
 */
export async function run(bench: Bench): Promise<void> {
  const calls = bench.small ? 4 : CALLS;
  const load = fork(new URL("../call-load.ts", import.meta.url));
  try {
    const { url } = await said(load, "ready");
    const echoMs = await echo(load, calls, bench.small ? 1_000 : 10_000);
    await hold(bench, load, { calls, url, echoMs });
  } finally {
    load.kill();
  }
}

/** Milliseconds of CPU that a second of one echoed call takes. */
async function echo(load: ChildProcess, calls: number, ms: number): Promise<number> {
  const process = fork(new URL("../call-echo.ts", import.meta.url));
  try {
    for (let at = 0; at < calls; at++) {
      const opened = said(process, "opened");
      process.send({ do: "open" } satisfies ToEcho);
      await call(load, at, (await opened).port);
    }
    load.send({ do: "begin", interrupts: false } satisfies ToLoad);
    await pause(ms / 5);
    await cpuOf(process);
    await pause(ms);
    const used = await cpuOf(process);
    load.send({ do: "end" } satisfies ToLoad);
    return used / (ms / 1_000) / calls;
  } finally {
    process.kill();
  }
}

async function hold(
  bench: Bench,
  load: ChildProcess,
  wanted: { calls: number; url: string; echoMs: number },
): Promise<void> {
  const { calls } = wanted;
  const plane = createPlane({
    children: 1,
    callsPerChild: calls,
    entry: new URL("../../src/app/plane/child.ts", import.meta.url),
    env: {
      ...process.env,
      PARLEY_DATA_DIR: join(bench.folder, "calls"),
      PARLEY_SPEECH_TO_TEXT_PROVIDER: "deepgram",
      PARLEY_DEEPGRAM_BASE_URL: wanted.url,
      PARLEY_LLM_BASE_URL: `${wanted.url}/v1`,
      PARLEY_LLM_MODEL: "stand-in",
      PARLEY_DEEPGRAM_API_KEY: "bench",
      PARLEY_LOG_LEVEL: "error",
    },
    salvage: async () => undefined,
    log: { info() {}, warn() {}, error() {} },
  });
  try {
    const held: PlaneCall[] = [];
    const begin = async (upTo: number) => {
      for (let at = held.length; at < upTo; at++) {
        held.push(await answered(plane, load, at));
        // As a dialer places them: calls that were answered in one moment would speak in one, too.
        await pause(APART_MS);
      }
      load.send({ do: "begin", interrupts: true } satisfies ToLoad);
    };
    // The first call brings the process up, and its voice with the first words: what they weigh is not the calls'.
    await begin(1);
    await pause(bench.small ? 1_000 : 5_000);
    const [alone] = await plane.states();
    await begin(calls);
    await pause(bench.small ? 1_000 : WARM_UP_MS);
    await plane.states();
    await report(load);
    const seconds = bench.small ? 10 : SECONDS;
    await pause(seconds * 1_000);
    const [state] = await plane.states();
    const measured = await report(load);
    for (const one of held) one.end("manual_stopped");
    const results = await Promise.all(held.map((one) => one.ended));
    const gone = results.filter(({ reason }) => reason !== "manual_stopped");
    if (gone.length > 0) throw new Error(`${gone.length} calls ended by themselves, the first as ${gone[0]!.reason}`);

    const cpu = state!.cpuMs / seconds / calls;
    bench.figure({
      name: "calls a core, by CPU time",
      value: Math.floor(1_000 / cpu),
      unit: "calls",
      baseline: Math.floor(1_000 / wanted.echoMs),
    });
    bench.figure({
      name: `lateness of frames at ${calls} calls, p99 at most`,
      value: lateP99(state!.lateness),
      unit: "ms",
      baseline: 20,
    });
    bench.figure({
      name: "frames off their 20 ms as the other side gets them, p99",
      value: round(quantile(measured.lateMs, 0.99)),
      unit: "ms",
      baseline: null,
    });
    bench.figure({
      name: "packets that came, of those due",
      value: round(measured.received / (calls * 50 * seconds)),
      unit: "share",
      baseline: 1,
    });
    // What a few calls weigh is less than what a process gives back by itself.
    if (!bench.small)
      bench.figure({
        name: "memory a call",
        value: round((state!.rssBytes - alone!.rssBytes) / (calls - 1) / 2 ** 20),
        unit: "MB",
        baseline: 1,
      });
    answers(bench, results);
    quantiles(bench, "barge-in, from the first sound to the agent's silence", measured.bargeInMs, SPEECH_MS + 200);
  } finally {
    await plane.close();
  }
}

/**
 * What the engine adds to a turn: all but the pause that ends it and the time of speech-to-text. A call's clock goes by frames, so that it may be up
 * to one more than it says.
 */
function answers(bench: Bench, results: readonly SoundResult[]): void {
  const overheads = results.flatMap(({ latencies }) =>
    latencies.map(
      (latency) => latency.totalMs - (latency.endpointingMs ?? 0) - (latency.speechToTextMs ?? 0) + FRAME_MS,
    ),
  );
  quantiles(bench, "response over endpointing and speech-to-text, at most", overheads, 100);
}

/** Nothing where there is nothing, as may be in a small run. */
function quantiles(bench: Bench, name: string, values: readonly number[], baseline: number | null): void {
  if (values.length === 0) return;
  bench.figure({ name: `${name}, p50 of ${values.length}`, value: round(quantile(values, 0.5)), unit: "ms", baseline });
  bench.figure({ name: `${name}, p95`, value: round(quantile(values, 0.95)), unit: "ms", baseline });
}

function open(plane: ReturnType<typeof createPlane>, at: number): PlaneCall {
  return plane.open(
    planOf(at),
    { kind: "rtp", srtp: false, codecs: ["PCMU"] },
    { report: async () => {}, transfer: async () => false },
  );
}

async function answered(plane: ReturnType<typeof createPlane>, load: ChildProcess, at: number): Promise<PlaneCall> {
  const one = open(plane, at);
  const local = (await one.local)!;
  const port = await call(load, at, local.port);
  one.begin(new Date(), {
    address: "127.0.0.1",
    port,
    rtcpPort: port,
    isRtcpMuxed: true,
    codec: "PCMU",
    payloadType: 0,
    hears: true,
    speaks: true,
    from: [],
  });
  return one;
}

const planOf = (at: number): CallPlan => ({
  callId: randomUUID(),
  tenantId: randomUUID(),
  ref: randomUUID(),
  mode: "test",
  direction: "outbound",
  purpose: "call",
  n: 1,
  number: "+12125550100",
  contactPhone: `+1212555${String(1_000 + at).slice(-4)}`,
  campaign: "bench",
  agent: voiceAgent({
    agent_name: "Ann",
    prompt: "You call about a loan. Find out every detail.",
    voice_id: "offline-slt",
    starting_message: "Hi, this is Ann from Acme. Do you have a minute to talk about your loan?",
    ambient_sound: "call-center",
    interruption_sensitivity: 1,
  }),
  organization: "Acme",
  contact: {},
  contactZone: "America/New_York",
  history: [],
  known: {},
  now: "2026-06-01T15:00:00.000Z",
  clockOffsetMs: 0,
});

/** A telephone that speaks to this port; its own. */
async function call(load: ChildProcess, at: number, port: number): Promise<number> {
  const phone = said(load, "phone");
  load.send({ do: "call", at, port } satisfies ToLoad);
  return (await phone).port;
}

async function report(load: ChildProcess) {
  const answer = said(load, "report");
  load.send({ do: "report" } satisfies ToLoad);
  return answer;
}

async function cpuOf(process: ChildProcess): Promise<number> {
  const answer = said(process, "cpu");
  process.send({ do: "report" } satisfies ToEcho);
  return (await answer).ms;
}

type Said<K> = Extract<FromLoad | FromEcho, { say: K }>;

/** The next word of this kind. */
async function said<K extends (FromLoad | FromEcho)["say"]>(from: ChildProcess, kind: K): Promise<Said<K>> {
  for (;;) {
    const [message] = (await once(from, "message")) as [FromLoad | FromEcho];
    if (message.say === kind) return message as Said<K>;
  }
}

/** The bound below which 99 % of the ticks were; past the last bound, how late the latest was. */
function lateP99({ ticks, counts, longestMs }: Lateness): number {
  let sum = 0;
  for (const [i, count] of counts.entries()) {
    sum += count;
    if (sum >= ticks * 0.99) return Math.min(LATENESS_MS[i]!, longestMs);
  }
  return longestMs;
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
