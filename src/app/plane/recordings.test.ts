import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createRecorder } from "#media/recorder.ts";
import { adoptLeft, openRecordingFile } from "./recordings.ts";

const KEPT = "00000000-0000-7000-8000-000000000001";
const GONE = "00000000-0000-7000-8000-000000000002";
const EMPTY = "00000000-0000-7000-8000-000000000003";

test("what a crash has left is made whole and given to its call; what is nobody's goes", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "parley-recordings-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (id: string) => openRecordingFile(folder, id);
  const recorder = await createRecorder(join(folder, "source"), 0.5);
  const sound = new Int16Array(160).fill(1_000);
  for (let i = 0; i < 100; i++) recorder.push(sound, sound);
  await recorder.finish();
  for (const id of [KEPT, GONE]) copyFileSync(join(folder, "source"), file(id));
  writeFileSync(file(EMPTY), "");
  writeFileSync(join(folder, "notes.txt"), "not a recording");

  const asked = new Map<string, number>();
  await adoptLeft(
    folder,
    async (callId, it) => {
      asked.set(callId, it.durationMs);
      return callId === KEPT ? "kept" : "dropped";
    },
    new AbortController().signal,
  );
  assert.deepEqual([...asked].sort(), [
    [KEPT, 2_000],
    [GONE, 2_000],
  ]);
  assert.deepEqual(
    [KEPT, GONE, EMPTY].map((id) => existsSync(file(id))),
    [true, false, false],
  );
  assert.ok(existsSync(join(folder, "notes.txt")));
});
