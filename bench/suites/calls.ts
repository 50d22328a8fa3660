import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { answered, lateP99, planeFor, startTelephones, type Telephones } from "#app/capacity/telephone-calls.ts";
import type { PlaneCall } from "#app/plane/plane.ts";
import type { SoundResult } from "#app/plane/protocol.ts";
import { FRAME_MS } from "#domain/calls/g711.ts";
import type { FromEcho, ToEcho } from "../call-echo.ts";
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
 * held against their CPU time. First as many as a node lets begin, then as many whatever the machine.
 */
export async function run(bench: Bench): Promise<void> {
  const calls = bench.small ? 4 : CALLS;
  const telephones = await startTelephones();
  try {
    const echoMs = await echo(telephones, calls, bench.small ? 1_000 : 10_000);
    await hold(bench, telephones, { calls, echoMs, isLimited: true });
    telephones.hangUp();
    await hold(bench, telephones, { calls, echoMs, isLimited: false });
  } finally {
    telephones.close();
  }
}

/** Milliseconds of CPU that a second of one echoed call takes. */
async function echo(telephones: Telephones, calls: number, ms: number): Promise<number> {
  const process = fork(new URL("../call-echo.ts", import.meta.url));
  try {
    for (let at = 0; at < calls; at++) {
      const opened = said(process, "opened");
      process.send({ do: "open" } satisfies ToEcho);
      await telephones.call(at, (await opened).port);
    }
    telephones.begin(false);
    await pause(ms / 5);
    await cpuOf(process);
    await pause(ms);
    const used = await cpuOf(process);
    telephones.hangUp();
    return used / (ms / 1_000) / calls;
  } finally {
    process.kill();
  }
}

async function hold(
  bench: Bench,
  telephones: Telephones,
  wanted: { calls: number; echoMs: number; isLimited: boolean },
): Promise<void> {
  const { isLimited } = wanted;
  const plane = planeFor(telephones, { most: wanted.calls, dataDir: join(bench.folder, "calls") });
  try {
    const held: PlaneCall[] = [];
    const begin = async (upTo: number) => {
      for (let at = held.length; at < upTo && (!isLimited || plane.room() > 0); at++) {
        held.push(await answered(plane, telephones, at));
        // As a dialer places them: calls that were answered in one moment would speak in one, too.
        await pause(APART_MS);
      }
      telephones.begin(true);
    };
    // The first call brings the process up, and its voice with the first words: what they weigh is not the calls'.
    await begin(1);
    await pause(bench.small ? 1_000 : 5_000);
    const [alone] = await plane.states();
    await begin(wanted.calls);
    const calls = held.length;
    await pause(bench.small ? 1_000 : WARM_UP_MS);
    await plane.states();
    await telephones.report();
    const seconds = bench.small ? 10 : SECONDS;
    await pause(seconds * 1_000);
    const [state] = await plane.states();
    const measured = await telephones.report();
    for (const one of held) one.end("manual_stopped");
    const results = await Promise.all(held.map((one) => one.ended));
    const gone = results.filter(({ reason }) => reason !== "manual_stopped");
    if (gone.length > 0) throw new Error(`${gone.length} calls ended by themselves, the first as ${gone[0]!.reason}`);

    const cpu = state!.cpuMs / seconds / calls;
    if (isLimited)
      bench.figure({ name: "calls that may begin", value: calls, unit: "calls", baseline: Math.floor(1_000 / cpu) });
    else
      bench.figure({
        name: "calls a core, by CPU time",
        value: Math.floor(1_000 / cpu),
        unit: "calls",
        baseline: Math.floor(1_000 / wanted.echoMs),
      });
    const at = isLimited ? "the calls that may begin" : `${calls} calls`;
    bench.figure({
      name: `lateness of frames at ${at}, p99 at most`,
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
      name: `packets that came at ${at}, of those due`,
      value: round(measured.received / (calls * 50 * seconds)),
      unit: "share",
      baseline: 1,
    });
    if (isLimited) return;
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

async function cpuOf(process: ChildProcess): Promise<number> {
  const answer = said(process, "cpu");
  process.send({ do: "report" } satisfies ToEcho);
  return (await answer).ms;
}

type Said<K> = Extract<FromEcho, { say: K }>;

/** The next word of this kind. */
async function said<K extends FromEcho["say"]>(from: ChildProcess, kind: K): Promise<Said<K>> {
  for (;;) {
    const [message] = (await once(from, "message")) as [FromEcho];
    if (message.say === kind) return message as Said<K>;
  }
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
