import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { CallPlan } from "#domain/call-plan.ts";
import type { Recording } from "#domain/call-report.ts";
import type { Uuid } from "#domain/id.ts";
import { repairRecording } from "#media/recorder.ts";
import type { ObjectStore } from "#ports/object-store.ts";
import type { OpenRecording } from "./protocol.ts";

/** In the data directory: recordings of calls that go on, and of those that a crash cut off. */
export const OPEN_RECORDINGS = "open-recordings";

/** A header alone: nobody answered. */
const EMPTY_BYTES = 64;

/** Where a call's recording grows, until it is whole and stored. */
export const openRecordingFile = (folder: string, callId: Uuid): string => join(folder, `${callId}.wav`);

/** Where it is kept from then on. */
export const recordingName = (tenantId: Uuid, callId: Uuid): string => `${tenantId}/${callId}.wav`;

/** Stores a whole recording; from then on it survives a crash. */
export async function keepRecording(
  store: ObjectStore,
  plan: Pick<CallPlan, "tenantId" | "callId">,
  it: OpenRecording,
): Promise<Recording> {
  const name = recordingName(plan.tenantId, plan.callId);
  await store.keep(name, it.file);
  return { name, bytes: it.bytes, durationMs: it.durationMs };
}

/** Makes whole what a child that died has left of a call; undefined when that is nothing. */
export async function salvageRecording(folder: string, callId: Uuid): Promise<OpenRecording | undefined> {
  const file = openRecordingFile(folder, callId);
  if ((await sizeOf(file)) <= EMPTY_BYTES) return undefined;
  const facts = await repairRecording(file);
  return facts && { file, bytes: facts.bytes, durationMs: Math.round(facts.durationMs) };
}

/** A lost node's calls are given up within seconds; until then nobody knows how they ended. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Sees to the recordings that lie in a folder when a node starts, which are nobody's: makes each whole and has it adopted, again and again until
 * its call is over.
 */
export async function adoptLeft(
  folder: string,
  adopt: (callId: Uuid, it: OpenRecording) => Promise<"kept" | "dropped" | "later">,
  signal: AbortSignal,
): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  let left = names.filter((name) => name.endsWith(".wav")).map((name) => name.slice(0, -".wav".length));
  while (left.length > 0 && !signal.aborted) {
    const later: Uuid[] = [];
    for (const callId of left) {
      const it = await salvageRecording(folder, callId);
      const outcome = it ? await adopt(callId, it) : "dropped";
      if (outcome === "later") later.push(callId);
      else if (outcome === "dropped") await dropRecording(folder, callId);
    }
    left = later;
    if (left.length > 0) await pause(LOOK_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

/** Of a call that nobody answered. Safe to repeat. */
export const dropRecording = (folder: string, callId: Uuid): Promise<void> =>
  rm(openRecordingFile(folder, callId), { force: true });

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}
