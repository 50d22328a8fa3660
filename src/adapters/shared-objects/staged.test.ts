import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { test } from "node:test";
import { objectFolder } from "#adapters/files/objects.ts";
import { ObjectsAway, type SharedObjects } from "#ports/object-store.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { folderStore } from "./folder.ts";
import { stagedObjects } from "./staged.ts";

const NEVER = new AbortController().signal;
const soon = () => new Date(Date.now() + 60_000);

/** A node's disk, and a folder that it shares with another node. */
function twoNodes() {
  const root = aFolder("staged");
  const shared = join(root, "shared");
  mkdirSync(shared);
  const node = (name: string) => {
    const near = objectFolder(join(root, name));
    const store = stagedObjects(near, folderStore(shared));
    return { near, store, way: store.shared as SharedObjects };
  };
  return { root, shared, a: node("a"), b: node("b") };
}

const textOf = async (stream: Readable | undefined) => stream && Buffer.concat(await stream.toArray()).toString();

test("what is kept is on this disk alone until it is uploaded, and then any node reads it", async () => {
  const { root, shared, a, b } = twoNodes();
  writeFileSync(join(root, "new.wav"), "0123456789");
  await a.store.keep("t/c.wav", join(root, "new.wav"));

  assert.equal(await textOf(await a.store.read("t/c.wav", { start: 2, end: 4 })), "23");
  assert.equal(await b.store.size("t/c.wav"), undefined);
  assert.deepEqual([a.way.fresh(), a.way.fresh()], [["t/c.wav"], []]);

  assert.equal(await a.way.upload("t/c.wav", NEVER), "confirmed");
  await a.way.removeHere("t/c.wav");
  assert.deepEqual(await a.way.left(soon()), []);
  assert.equal(readFileSync(join(shared, "t/c.wav"), "utf8"), "0123456789");
  for (const { store } of [a, b]) {
    assert.equal(await store.size("t/c.wav"), 10);
    assert.equal(await textOf(await store.read("t/c.wav", { start: 2, end: 4 })), "23");
  }
});

test("what a process that died has left is on the disk still, and is uploaded a second time without harm", async () => {
  const { a, b } = twoNodes();
  await a.store.put("t/media/1", Buffer.from("a picture"));
  assert.deepEqual(await a.way.left(soon()), ["t/media/1"]);
  assert.deepEqual(await a.way.left(new Date(Date.now() - 60_000)), []);

  assert.equal(await a.way.upload("t/media/1", NEVER), "confirmed");
  assert.equal(await a.way.upload("t/media/1", NEVER), "confirmed");
  assert.equal(await textOf(await b.store.read("t/media/1")), "a picture");
  await a.way.removeHere("t/media/1");
  assert.equal(await a.way.upload("t/media/1", NEVER), "gone");
});

test("what is removed is removed from the disk and from the shared folder", async () => {
  const { a, b } = twoNodes();
  await a.store.put("t/media/1", Buffer.from("a picture"));
  await a.way.upload("t/media/1", NEVER);
  await a.store.remove("t/media/1");

  assert.equal(await a.store.size("t/media/1"), undefined);
  assert.equal(await b.store.size("t/media/1"), undefined);
});

test("a shared folder that is not mounted is away, and is not made", async () => {
  const { shared, a } = twoNodes();
  rmSync(shared, { recursive: true });
  await a.store.put("t/media/1", Buffer.from("a picture"));

  await assert.rejects(a.way.upload("t/media/1", NEVER), ObjectsAway);
  assert.equal(await textOf(await a.store.read("t/media/1")), "a picture");
  assert.match((await a.way.problem())!, /the shared folder failed: stat ENOENT/);
  mkdirSync(shared);
  assert.equal(await a.way.problem(), null);
  assert.equal(await a.way.upload("t/media/1", NEVER), "confirmed");
});
