import assert from "node:assert/strict";
import { cpSync, existsSync, lstatSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { aFolder } from "#test/support/source/folder.ts";
import { canRun, copyBinaries, findBinaries, majorVersion } from "./binaries.ts";

test("the binaries of this platform are found through npm's package and run", async () => {
  const binaries = await findBinaries();

  assert.equal(majorVersion(binaries.version), 18);
  assert.equal(await canRun(binaries, undefined), true);
});

test("binaries whose install script never ran get their library links and run", async () => {
  const folder = aFolder("binaries");
  const original = await findBinaries();
  const bare = { root: join(folder, "native"), version: original.version };
  cpSync(original.root, bare.root, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() });
  assert.equal(await canRun(bare, undefined), false);

  const copy = await copyBinaries(bare, folder);

  assert.equal(await canRun(copy, undefined), true);
  const links = JSON.parse(readFileSync(join(bare.root, "pg-symlinks.json"), "utf8")) as { target: string }[];
  for (const { target } of links) assert.ok(existsSync(join(copy.root, relative("native", target))), target);
});
