import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig } from "#app/settings/config.ts";
import { secretKey } from "#app/settings/secret-key.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { readMark, writeMark } from "./mark.ts";

const CLUSTER = "018f0000-0000-7000-8000-000000000001";

/** Where no file may grow at all, as on a full disk. */
function withoutRoom(folder: string, script: string): string {
  const code = `${script}.then(() => "", (error) => error.code).then(console.log)`;
  const command = 'ulimit -f 0; exec "$0" --input-type=module -e "$1"';
  return execFileSync("sh", ["-c", command, process.execPath, code], {
    cwd: join(import.meta.dirname, "../../.."),
    env: { FOLDER: folder },
    encoding: "utf8",
  }).trim();
}

test("a mark that two processes of one id write at once is written by both", async () => {
  const folder = aFolder("own-files");
  const now = new Date();
  await Promise.all([7, 7].map((mark) => writeMark(folder, { cluster: CLUSTER, mark }, now)));
  assert.equal(readMark(folder, CLUSTER)?.mark, 7);
  assert.deepEqual(readdirSync(folder), ["mark.json"]);
});

test("a secret key is made beside another process of the same id that makes one", () => {
  const folder = aFolder("own-files");
  const others = join(folder, `secret-key.${process.pid}`);
  writeFileSync(others, "another's");
  const key = secretKey(readConfig({ PARLEY_DATA_DIR: folder }));
  assert.equal(readFileSync(join(folder, "secret-key"), "utf8"), key);
  assert.equal(readFileSync(others, "utf8"), "another's");
});

test("a mark or a secret key for which there is no room leaves nothing behind", () => {
  const folder = aFolder("own-files");
  const marking = `import("#app/process/mark.ts").then((it) => it.writeMark(process.env.FOLDER, { cluster: "${CLUSTER}", mark: 1 }, new Date()))`;
  assert.equal(withoutRoom(folder, marking), "EFBIG");
  const keying = `import("#app/settings/secret-key.ts").then((it) => it.secretKey({ dataDir: process.env.FOLDER }))`;
  assert.equal(withoutRoom(folder, keying), "EFBIG");
  assert.deepEqual(readdirSync(folder), []);
});
