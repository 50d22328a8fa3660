import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { Recording } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import { repairRecording } from "#media/recording/recorder.ts";
import type { ObjectStore } from "#ports/object-store.ts";
import type { OpenRecording } from "./protocol.ts";

/** In the data directory: recordings of current calls, and of those that a crash cut off. */
export const OPEN_RECORDINGS = "open-recordings";

/** A header alone: nobody answered. */
const EMPTY_BYTES = 64;

const RECORDING_FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.wav$/;

/** The file that a call's recording is written to, until it is complete and stored. */
export const openRecordingFile = (folder: string, callId: Uuid): string => join(folder, `${callId}.wav`);

/** Where it is kept from then on. */
export const recordingName = (tenantId: Uuid, callId: Uuid): string => `${tenantId}/${callId}.wav`;

/** Stores a whole recording; from then on it survives a crash. */
export async function keepRecording(
  store: ObjectStore,
  plan: Pick<CallPlan, "tenantId" | "callId">,
  recording: OpenRecording,
): Promise<Recording> {
  const name = recordingName(plan.tenantId, plan.callId);
  await store.keep(name, recording.file);
  return { name, bytes: recording.bytes, durationMs: recording.durationMs };
}

/** Repairs the recording that a dead child has left of a call; undefined when there is none. */
export async function salvageRecording(folder: string, callId: Uuid): Promise<OpenRecording | undefined> {
  const file = openRecordingFile(folder, callId);
  if ((await sizeOf(file)) <= EMPTY_BYTES) return undefined;
  const facts = await repairRecording(file);
  return facts && { file, bytes: facts.bytes, durationMs: Math.round(facts.durationMs) };
}

/**
 * Handles the leftover recordings in a folder, whose calls are over: a node that died has left them, or they could not be
 * stored. `over` selects those calls; `salvage` repairs a recording that no process writes any more.
 */
export async function adoptLeft(
  folder: string,
  calls: {
    over(callIds: readonly Uuid[]): Promise<readonly Uuid[]>;
    adopt(callId: Uuid, salvage: () => Promise<OpenRecording | undefined>): Promise<"kept" | "dropped" | "later">;
  },
): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const callIds = names.flatMap((name) => RECORDING_FILE.exec(name)?.[1] ?? []);
  if (callIds.length === 0) return;
  for (const callId of await calls.over(callIds)) {
    const outcome = await calls.adopt(callId, () => salvageRecording(folder, callId));
    if (outcome === "dropped") await dropRecording(folder, callId);
  }
}

/** Of a call that nobody answered. Safe to repeat. */
export const dropRecording = (folder: string, callId: Uuid): Promise<void> =>
  rm(openRecordingFile(folder, callId), { force: true });

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}
