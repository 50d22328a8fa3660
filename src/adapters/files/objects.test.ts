import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { aFolder } from "#test/support/source/folder.ts";
import { objectFolder } from "./objects.ts";

function filesOf() {
  const folder = aFolder("objects");
  const file = join(folder, "new.wav");
  writeFileSync(file, "0123456789");
  return { folder: join(folder, "recordings"), file };
}

async function textOf(stream: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of stream!) parts.push(part);
  return Buffer.concat(parts).toString();
}

test("a kept file is read whole and in part, and is moved, not copied", async () => {
  const { folder, file } = filesOf();
  const objects = objectFolder(folder);
  await objects.keep("2026/11/a.wav", file);

  assert.equal(existsSync(file), false);
  assert.equal(statSync(join(folder, "2026")).mode & 0o777, 0o700);
  assert.equal(readFileSync(join(folder, "2026/11/a.wav"), "utf8"), "0123456789");
  assert.equal(await objects.size("2026/11/a.wav"), 10);
  assert.equal(await textOf(await objects.read("2026/11/a.wav")), "0123456789");
  assert.equal(await textOf(await objects.read("2026/11/a.wav", { start: 2, end: 5 })), "234");
  assert.equal(await textOf(await objects.read("2026/11/a.wav", { start: 9, end: 10 })), "9");
});

test("what is not there has no size and cannot be read; a folder is no object", async () => {
  const { folder, file } = filesOf();
  const objects = objectFolder(folder);
  assert.equal(await objects.size("a/b.wav"), undefined);
  assert.equal(await objects.read("a/b.wav"), undefined);
  await objects.keep("a/b.wav", file);
  assert.equal(await objects.size("a"), undefined);
  assert.equal(await objects.size("a/b.wav/c"), undefined);
});

test("removing is safe to repeat, and a reader that has begun reads on", async () => {
  const { folder, file } = filesOf();
  const objects = objectFolder(folder);
  await objects.keep("a.wav", file);
  const reading = await objects.read("a.wav");
  await objects.remove("a.wav");
  await objects.remove("a.wav");
  assert.equal(await textOf(reading), "0123456789");
  assert.equal(await objects.size("a.wav"), undefined);
});

test("a name that is none of ours never becomes a path", async () => {
  const { folder } = filesOf();
  const objects = objectFolder(folder);
  for (const name of ["", "../a", "a/../../b", "/etc/passwd", ".hidden", "a//b", "a\0b", "a/", "a~", "ä"]) {
    await assert.rejects(async () => objects.size(name), /not the name/, name);
  }
});

test("bytes are stored whole, over older ones too, and go with what a crash has left of them", async () => {
  const { folder } = filesOf();
  const objects = objectFolder(folder);
  await objects.put("a/media/1", Buffer.from("older"));
  await objects.put("a/media/1", Buffer.from("newer bytes"));
  assert.equal(await textOf(await objects.read("a/media/1")), "newer bytes");
  writeFileSync(join(folder, "a/media/1~"), "half");
  await objects.remove("a/media/1");
  assert.deepEqual(readdirSync(join(folder, "a/media")), []);
});
