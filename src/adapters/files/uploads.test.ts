import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { aFolder } from "#test/support/source/folder.ts";
import { uploadFolder } from "./uploads.ts";

const folder = aFolder("uploads");
const uploads = uploadFolder(folder);
const later = () => new Date(Date.now() + 60_000);

const keep = (text: string) =>
  uploads.keep(
    (async function* () {
      yield Buffer.from(text);
    })(),
    1e6,
  );

test("what a crash has left of a file that was turned into UTF-8 is old as the file is, and goes with it", async () => {
  const { name } = await keep("phone");
  writeFileSync(join(folder, `${name}.utf8`), "ph");
  assert.deepEqual(await uploads.olderThan(new Date(0)), []);
  assert.deepEqual(await uploads.olderThan(later()), [name]);
  await uploads.remove(name);
  assert.deepEqual(readdirSync(folder), []);
});

test("such a rest is found and removed also where the file itself has gone", async () => {
  const { name } = await keep("phone");
  await uploads.remove(name);
  writeFileSync(join(folder, `${name}.utf8`), "ph");
  assert.deepEqual(await uploads.names(), [], "it is no file that could be read");
  assert.deepEqual(await uploads.olderThan(later()), [name]);
  await uploads.remove(name);
  assert.deepEqual(readdirSync(folder), []);
});
