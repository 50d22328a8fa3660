import { Worker } from "node:worker_threads";
import { SpeechError } from "#ports/speech-to-text.ts";
import type { Request, Sound } from "./synthesis.ts";

/** At 100 ms a sentence a longer queue than this is a minute of silence: better to say so at once. */
const MAX_WAITING = 500;
/** A sentence that has ended the thread twice is at fault itself. */
const MAX_TRIES = 2;
/** A minute of speech takes flite two seconds; longer than this it has run into a loop. */
const STUCK_MS = 30_000;

type Job = {
  request: Request;
  tries: number;
  resolve: (sound: Sound) => void;
  reject: (error: SpeechError) => void;
};

type Answer = { id: number; sound?: Sound; failure?: string };

/** Sentences on their way to the one thread that makes them. */
export type SoundQueue = {
  /** Rejects with SpeechError. `cancel` takes it back when it has not been begun; then it never settles. */
  add(request: Request): { sound: Promise<Sound>; cancel(): void };
  close(): Promise<void>;
  /** The thread that is there now, for tests to end. */
  thread(): Worker | undefined;
};

/**
 * Hands requests to a thread, one after the other. The thread starts with the first request, does not keep the process
 * alive, and is started again when it dies or is stuck; what it was at is tried once more.
 */
export function soundQueue(script: URL = new URL("./synthesis-thread.ts", import.meta.url)): SoundQueue {
  const waiting: Job[] = [];
  let thread: Worker | undefined;
  let current: { id: number; job: Job; stuck: NodeJS.Timeout } | undefined;
  let lastId = 0;
  let closed = false;

  const start = (): Worker => {
    const worker = new Worker(script);
    worker.on("message", (answer: Answer) => {
      if (worker !== thread || answer.id !== current?.id) return;
      const { job } = current;
      settle();
      if (answer.sound) job.resolve(answer.sound);
      else job.reject(failed("synthesis", answer.failure));
      next();
    });
    // The exit that follows says it again.
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (worker !== thread) return;
      thread = undefined;
      const job = current?.job;
      settle();
      if (job && ++job.tries < MAX_TRIES && !closed) waiting.unshift(job);
      else job?.reject(failed("thread_died"));
      next();
    });
    worker.unref();
    return worker;
  };

  const settle = () => {
    clearTimeout(current?.stuck);
    current = undefined;
    thread?.unref();
  };

  const next = () => {
    if (current || closed) return;
    const job = waiting.shift();
    if (!job) return;
    thread ??= start();
    const worker = thread;
    current = { id: ++lastId, job, stuck: setTimeout(() => void worker.terminate(), STUCK_MS) };
    // A process that waits for its sentence must not end before it has come.
    worker.ref();
    worker.postMessage({ id: current.id, request: job.request });
  };

  return {
    add(request) {
      const { promise, resolve, reject } = Promise.withResolvers<Sound>();
      const job: Job = { request, tries: 0, resolve, reject };
      if (closed) reject(failed("closed"));
      else if (waiting.length >= MAX_WAITING) reject(failed("overloaded"));
      else {
        waiting.push(job);
        next();
      }
      const cancel = () => {
        const at = waiting.indexOf(job);
        if (at >= 0) waiting.splice(at, 1);
      };
      return { sound: promise, cancel };
    },
    async close() {
      closed = true;
      for (const job of waiting.splice(0)) job.reject(failed("closed"));
      await thread?.terminate();
    },
    thread: () => thread,
  };
}

const failed = (vendorCode: string, why?: string): SpeechError =>
  new SpeechError(`The offline voice failed: ${why ?? vendorCode}`, {
    retryable: vendorCode !== "synthesis",
    vendorCode,
  });
