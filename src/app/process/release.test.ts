import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { aFolder } from "#test/support/source/folder.ts";
import { commitOf } from "./release.ts";

const ONE = "1".repeat(40);
const OTHER = "2".repeat(40);

function folderOf(files: Record<string, string>): string {
  const folder = aFolder("release");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test("an archive knows the commit that it was made of", () => {
  assert.equal(commitOf(folderOf({ COMMIT: `${ONE}\n` })), ONE);
});

test("a checkout knows its commit: of a branch, of a packed branch, and without a branch", () => {
  const COMMIT = "$Format:%H$\n";
  const head = { COMMIT, ".git/HEAD": "ref: refs/heads/main\n" };
  const packed = `# pack-refs with: peeled\n${OTHER} refs/heads/main-2\n${ONE} refs/heads/main\n`;
  assert.equal(commitOf(folderOf({ ...head, ".git/refs/heads/main": `${ONE}\n` })), ONE);
  assert.equal(commitOf(folderOf({ ...head, ".git/packed-refs": packed })), ONE);
  assert.equal(commitOf(folderOf({ COMMIT, ".git/HEAD": `${ONE}\n` })), ONE);
});

test("files that came without git and without an archive have no commit", () => {
  assert.equal(commitOf(folderOf({ COMMIT: "$Format:%H$\n" })), null);
  assert.equal(commitOf(folderOf({ COMMIT: "$Format:%H$\n", ".git": "gitdir: /elsewhere\n" })), null);
});
