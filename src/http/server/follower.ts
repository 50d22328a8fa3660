import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { Caller } from "#operations/context.ts";
import type { EventFilter } from "#operations/system/read-events.ts";

/** Most bytes that wait for a slow reader. Past it the reader is cut off, and resumes where it was. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** No more missed events are read while this many bytes wait. */
const CATCH_UP_BYTES = 64 * 1024;
const STALLED_MS = 15_000;
const LOOK_AGAIN_MS = 20;
const BEAT_EVERY_MS = 15_000;

/** What somebody wants to follow: a stream of events from a number on, or from now. */
export type Following = { caller: Caller; filter: EventFilter; after: number | undefined };

/** A follower, and its position. */
export type Follower = Following & {
  out: Readable;
  /** The number up to which everything was sent. */
  position: number;
  /** False while it is behind: the log is then read for it alone until it is where its tenant is. */
  isLive: boolean;
  isOver: boolean;
  wroteAt: number;
  checkedAt: number;
  isAllowed(): Promise<boolean>;
};

export function newFollower(wanted: Following, position: number, isAllowed: () => Promise<boolean>): Follower {
  const now = performance.now();
  const out = new Readable({ read() {}, highWaterMark: CATCH_UP_BYTES });
  return { ...wanted, out, position, isLive: false, isOver: false, wroteAt: now, checkedAt: now, isAllowed };
}

/** Hands over what is a part of a stream; a reader who has left too much of it is cut off. */
export function write(follower: Follower, text: string): void {
  const { out } = follower;
  if (text === "" || follower.isOver || out.destroyed) return;
  follower.wroteAt = performance.now();
  out.push(text);
  if (out.readableLength > MAX_WAITING_BYTES) out.destroy();
}

/** Ends a stream after what has been written. */
export function end(follower: Follower): void {
  if (follower.isOver || follower.out.destroyed) return;
  follower.isOver = true;
  follower.out.push(null);
}

/**
 * Sends a heartbeat with the stream's position to a reader that got nothing for a while: with a narrow filter the log need
 * not be read again from the last matching event when the reader reconnects.
 */
export function beat(follower: Follower): void {
  if (performance.now() - follower.wroteAt > BEAT_EVERY_MS) write(follower, `:\nid: ${follower.position}\n\n`);
}

/** Resolves when a reader has taken most of what there is for him. One who takes nothing for too long is cut off. */
export async function drained({ out }: Follower): Promise<void> {
  for (const until = performance.now() + STALLED_MS; out.readableLength > CATCH_UP_BYTES && !out.destroyed; ) {
    if (performance.now() > until) out.destroy();
    await pause(LOOK_AGAIN_MS);
  }
}
