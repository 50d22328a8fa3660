import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createRecorder } from "#media/recording/recorder.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { adoptLeft, openRecordingFile } from "./recordings.ts";

const KEPT = "00000000-0000-7000-8000-000000000001";
const GONE = "00000000-0000-7000-8000-000000000002";
const EMPTY = "00000000-0000-7000-8000-000000000003";
const LIVE = "00000000-0000-7000-8000-000000000004";

test("what a crash has left is made whole and given to its call; what is nobody's goes, and what is still written stays as it is", async () => {
  const folder = aFolder("recordings");
  const file = (id: string) => openRecordingFile(folder, id);
  const recorder = await createRecorder(join(folder, "source"), 0.5);
  const sound = new Int16Array(160).fill(1_000);
  for (let i = 0; i < 100; i++) recorder.push(sound, sound);
  await recorder.finish();
  for (const id of [KEPT, GONE]) copyFileSync(join(folder, "source"), file(id));
  writeFileSync(file(EMPTY), "");
  // Half a sample of the next: a node that is still at work writes the rest any moment.
  writeFileSync(file(LIVE), Buffer.concat([readFileSync(file(KEPT)), Buffer.alloc(1)]));
  const liveBytes = statSync(file(LIVE)).size;
  writeFileSync(join(folder, "notes.txt"), "not a recording");

  const asked = new Map<string, number | undefined>();
  await adoptLeft(folder, {
    over: async (callIds) => callIds.filter((id) => id !== LIVE),
    adopt: async (callId, salvage) => {
      asked.set(callId, (await salvage())?.durationMs);
      return callId === KEPT ? "kept" : "dropped";
    },
  });
  assert.deepEqual([...asked].sort(), [
    [KEPT, 2_000],
    [GONE, 2_000],
    [EMPTY, undefined],
  ]);
  assert.equal(statSync(file(LIVE)).size, liveBytes);
  assert.deepEqual(
    [KEPT, GONE, EMPTY].map((id) => existsSync(file(id))),
    [true, false, false],
  );
  assert.ok(existsSync(join(folder, "notes.txt")));
});
