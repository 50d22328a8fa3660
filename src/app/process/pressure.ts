import type { Db } from "#store/database/db.ts";
import * as ready from "#store/database/ready.ts";

/** The lateness of this timer is how long anything else waits for the event loop. */
const TICK_MS = 50;
/** Four small statements a second cost nothing, and half a second of a full pool is seen. */
const PROBE_EVERY_MS = 250;
/** Far sooner than a pool closes a connection that nobody uses, and soon enough after a database came back. */
const WAKE_EVERY_MS = 1_000;

export type Pressure = {
  /** How long a request waits now for the event loop and for an answer of the database, in milliseconds. */
  waitMs(): number;
  /** The database's part of it. */
  databaseMs(): number;
  stop(): void;
};

/**
 * Measures how long a request waits before anything happens to it: the lateness of a timer, smoothed so that one pause
 * is no overload, and the time of a small statement that queues for the pool as a request's does. Keeps the pool of inbound
 * texts awake.
 */
export function measurePressure({ db, inbound }: { db: Db; inbound: Db }, now: () => Date): Pressure {
  let loopMs = 0;
  let due = performance.now() + TICK_MS;
  const ticks = setInterval(() => {
    const late = Math.max(0, performance.now() - due);
    loopMs = (loopMs + late) / 2;
    due = performance.now() + TICK_MS;
  }, TICK_MS).unref();

  let probeMs = 0;
  let probedAt: number | undefined;
  let waking = false;
  // So that a connection is open when a text comes in: to open one takes long when it matters. One at a time: it must not be
  // what uses them up.
  const wake = async () => {
    if (waking) return;
    waking = true;
    await ready.check(inbound, now);
    waking = false;
  };
  const probe = async () => {
    if (probedAt !== undefined) return;
    probedAt = performance.now();
    const { database } = await ready.check(db, now);
    // A database that is away answers its requests with 503 by itself.
    probeMs = database === null ? performance.now() - probedAt : 0;
    probedAt = undefined;
  };
  wake();
  const probes = setInterval(probe, PROBE_EVERY_MS).unref();
  const wakes = setInterval(wake, WAKE_EVERY_MS).unref();

  const databaseMs = () => Math.max(probeMs, probedAt === undefined ? 0 : performance.now() - probedAt);
  return {
    waitMs: () => loopMs + databaseMs(),
    databaseMs,
    stop() {
      clearInterval(ticks);
      clearInterval(probes);
      clearInterval(wakes);
    },
  };
}
