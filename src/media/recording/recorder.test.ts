import assert from "node:assert/strict";
import { copyFile, open, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { decodeUlaw } from "#domain/calls/g711.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { createRecorder, repairRecording } from "./recorder.ts";

const folder = aFolder("recorder");

const contactFrame = (index: number) => new Int16Array(160).fill(100 + (index % 50) * 100);
const agentFrame = (index: number) => new Int16Array(160).fill(-100 - (index % 50) * 100);

/** Records so many frames. */
async function record(path: string, frames: number, coding?: "ulaw" | "pcm16", phase = 0.3) {
  const recorder = await createRecorder(path, phase, coding);
  for (let i = 0; i < frames; i++) {
    recorder.push(contactFrame(i), agentFrame(i));
  }
  return recorder;
}

/** Waits until the file's length satisfies `isSo`. */
async function until(path: string, isSo: (bytes: number) => boolean) {
  for (;;) {
    const file = await readFile(path);
    if (isSo(file.length)) return file;
    await wait(5);
  }
}

test("a linear recording has both sides to the sample, the contact left", async () => {
  const path = join(folder, "linear.wav");
  const { bytes, durationMs } = await (await record(path, 500, "pcm16")).finish();
  const file = await readFile(path);

  assert.equal(durationMs, 10_000);
  assert.equal(file.length, bytes);
  assert.deepEqual([file.readUInt32LE(4), file.readUInt32LE(40)], [bytes - 8, bytes - 44]);
  assert.deepEqual([file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt32LE(24)], [1, 2, 8_000]);
  for (let i = 0; i < 500; i++) {
    assert.equal(file.readInt16LE(44 + i * 640), contactFrame(i)[0]);
    assert.equal(file.readInt16LE(44 + i * 640 + 2), agentFrame(i)[0]);
  }
});

test("a mu-law recording is half as large and sounds the same", async () => {
  const path = join(folder, "ulaw.wav");
  const { bytes, durationMs } = await (await record(path, 503)).finish();
  const file = await readFile(path);
  const samples = new Int16Array(file.length - 58);
  decodeUlaw(file.subarray(58), samples);

  assert.equal(durationMs, 503 * 20);
  assert.deepEqual([bytes, file.length], [58 + 503 * 320, 58 + 503 * 320]);
  assert.deepEqual([file.readUInt16LE(20), file.readUInt32LE(46), file.readUInt32LE(54)], [7, 503 * 160, 503 * 320]);
  for (let i = 0; i < 503; i++) {
    assert.ok(Math.abs(samples[i * 320]! - contactFrame(i)[0]!) < 130);
    assert.ok(Math.abs(samples[i * 320 + 1]! - agentFrame(i)[0]!) < 130);
  }
});

test("at every moment all but the last 5 s are on the disk, and readable", async () => {
  const path = join(folder, "live.wav");
  const recorder = await createRecorder(path, 1);
  for (let i = 0; i < 1_500; i++) {
    recorder.push(contactFrame(i), agentFrame(i));
    if (i % 25 !== 24) continue;
    const file = await until(path, (bytes) => (i * 160 * 2 - (bytes - 58)) / 16 <= 5_000);
    // Looked at after the header was: a read takes what the file had when it was opened, with a header of a moment later.
    const { size } = await stat(path);
    assert.ok(file.readUInt32LE(54) <= size - 58, "the header says no more than is there");
  }
  await recorder.finish();
});

test("what a crash leaves is repaired: header, length, peaks, half a sample", async () => {
  const path = join(folder, "whole.wav");
  const crashed = join(folder, "crashed.wav");
  for (const coding of ["ulaw", "pcm16"] as const) {
    const whole = await (await record(path, 300, coding)).finish();
    await copyFile(path, crashed);
    const file = await open(crashed, "r+");
    // As it is when the header was not written any more.
    await file.write(new Uint8Array(4), 0, 4, coding === "ulaw" ? 54 : 40);
    await file.close();
    await truncate(crashed, whole.bytes - 1);

    const repaired = await repairRecording(crashed);
    const size = coding === "ulaw" ? 2 : 4;
    assert.equal(repaired?.bytes, whole.bytes - size);
    assert.ok(Math.abs(repaired.durationMs - 6_000) < 1);
    assert.equal((await readFile(crashed)).readUInt32LE(coding === "ulaw" ? 54 : 40), 300 * 160 * size - size);
    const worst = Math.max(...repaired.peaks.contact.map((peak, i) => Math.abs(peak - whole.peaks.contact[i]!)));
    assert.ok(worst <= 1, `peaks differ by ${worst}`);
    assert.deepEqual(await repairRecording(crashed), repaired, "a second time changes nothing");
    await rm(path);
  }
});

test("a file that is no recording is left alone", async () => {
  const path = join(folder, "other.txt");
  await writeFile(path, "not a recording, but longer than a header of sixty-four bytes is, by a few");

  assert.equal(await repairRecording(path), undefined);
  assert.match(await readFile(path, "utf8"), /^not a recording/);
});

test("peaks are one in 100 ms for each side", async () => {
  const recorder = await createRecorder(join(folder, "peaks.wav"), 0.5);
  for (let i = 0; i < 12; i++)
    recorder.push(new Int16Array(160).fill(i < 5 ? 12_800 : 0), new Int16Array(160).fill(-32_768));
  const { peaks } = await recorder.finish();

  assert.deepEqual([...peaks.contact], [100, 0, 0]);
  assert.deepEqual([...peaks.agent], [255, 255, 255]);
});

test("a file that exists is not overwritten, and a stalled disk is reported by finish", async () => {
  const path = join(folder, "there.wav");
  await writeFile(path, "x");
  await assert.rejects(createRecorder(path, 0), /EEXIST/);

  const stuck = join(folder, "stuck.wav");
  const recorder = await createRecorder(stuck, 1);
  // Faster than any disk: more than a minute without a turn for it.
  for (let i = 0; i < 7_000; i++) recorder.push(contactFrame(i), agentFrame(i));
  assert.ok(recorder.hasFailed());
  await assert.rejects(recorder.finish(), /taken nothing for a minute/);
  assert.ok(((await repairRecording(stuck))?.durationMs ?? 0) >= 2_500, "what was written is kept");
});

test("calls that begin together do not write together", async (t) => {
  const file = await open(join(folder, "any.wav"), "w");
  const write = t.mock.method(Object.getPrototypeOf(file) as typeof file, "write");
  await file.close();
  const firstWrites: number[] = [];
  for (const phase of [0, 0.25, 0.5, 0.75]) {
    const recorder = await createRecorder(join(folder, `phase-${phase}.wav`), phase);
    const writes = write.mock.callCount();
    let frames = 0;
    for (; write.mock.callCount() === writes; frames++) recorder.push(contactFrame(0), agentFrame(0));
    await recorder.finish();
    firstWrites.push(frames);
  }

  assert.deepEqual(
    firstWrites,
    firstWrites.toSorted((a, b) => a - b),
  );
  assert.ok(firstWrites.at(-1)! - firstWrites[0]! > 60, firstWrites.join(" "));
});

test("buffers are shared by recorders that come one after the other, and never by two at a time", async () => {
  const twice = await record(join(folder, "twice.wav"), 20);
  await twice.finish();
  await assert.rejects(twice.finish());
  const paths = [1, 2, 3].map((n) => join(folder, `own-${n}.wav`));
  const recorders = await Promise.all(paths.map((path) => createRecorder(path, 0.3)));
  const soundOf = (n: number) => new Int16Array(160).fill(1_000 * (n + 1));
  for (let i = 0; i < 400; i++) {
    for (const [n, recorder] of recorders.entries()) recorder.push(soundOf(n), soundOf(n));
    if (i % 50 === 0) await wait(1);
  }
  await Promise.all(recorders.map((recorder) => recorder.finish()));
  for (const [n, path] of paths.entries()) {
    const file = (await readFile(path)).subarray(58);
    assert.equal(file.length, 400 * 320);
    assert.ok(
      file.every((byte) => byte === file[0]),
      `${path} has sound of another`,
    );
    assert.notEqual(file[0], (await readFile(paths[(n + 1) % 3]!)).at(58));
  }
});
