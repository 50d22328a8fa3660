import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { aFolder } from "#test/support/source/folder.ts";
import { keepPrivate, othersIn } from "./data-folder.ts";

/** A user, and a group, that no machine has. */
const OTHER = 54_321;

const aPath = (): string => join(aFolder("data-folder"), "data");

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** As an earlier release left it. */
function wideFolder(): string {
  const data = aPath();
  for (const name of ["recordings/a", "journal", "postgres/cluster/data"])
    mkdirSync(join(data, name), { recursive: true, mode: 0o755 });
  writeFileSync(join(data, "recordings/a/call.wav"), "sound", { mode: 0o644 });
  writeFileSync(join(data, "postgres/cluster/data/base"), "", { mode: 0o644 });
  for (const name of ["", "recordings", "recordings/a", "journal"]) chmodSync(join(data, name), 0o755);
  chmodSync(join(data, "recordings/a/call.wav"), 0o644);
  return data;
}

test("what an earlier release let others read is narrowed once, and is then not gone through again", () => {
  const data = wideFolder();
  const { narrowed } = keepPrivate(data);

  assert.ok(narrowed >= 5, String(narrowed));
  for (const name of ["", "recordings", "recordings/a", "journal"]) assert.equal(modeOf(join(data, name)), "700", name);
  assert.equal(modeOf(join(data, "recordings/a/call.wav")), "600");
  chmodSync(join(data, "journal"), 0o755);
  assert.deepEqual(keepPrivate(data), { narrowed: 0, given: 0 });
  chmodSync(data, 0o755);
  assert.deepEqual(keepPrivate(data), { narrowed: 2, given: 0 }, "the directory itself and what had become wide in it");
});

test("several processes that start at the same time over one directory all find it private", async () => {
  const base = aFolder("data-folder");
  const [together, rounds] = [4, 200];
  // Each round begins once all have come to it.
  const arrived = new Int32Array(new SharedArrayBuffer(4 * rounds));
  const starts = Array.from({ length: together }, async () => {
    const worker = new Worker(new URL("../../../test/support/processes/starts-together.ts", import.meta.url), {
      workerData: { base, together, arrived },
    });
    const [code] = await once(worker, "exit");
    return code;
  });
  assert.deepEqual(await Promise.all(starts), Array(together).fill(0));
  for (let i = 0; i < rounds; i++) assert.equal(modeOf(join(base, String(i))), "700");
});

test("a new directory is private, and folders that a server has to pass through stay passable and no more", () => {
  const made = aPath();
  assert.deepEqual(keepPrivate(made), { narrowed: 0, given: 0 });
  assert.equal(modeOf(made), "700");
  const data = wideFolder();
  keepPrivate(data, { traversable: ["", "postgres", join("postgres", "cluster")] });
  assert.deepEqual(
    ["", "postgres", "postgres/cluster", "recordings"].map((name) => modeOf(join(data, name))),
    ["711", "711", "711", "700"],
  );
});

test("files of others in the directory, and what links lead to, stay as they are", () => {
  const data = wideFolder();
  const other = join(data, "notes.txt");
  writeFileSync(other, "", { mode: 0o644 });
  chmodSync(other, 0o644);
  const outside = join(data, "..", "outside");
  mkdirSync(outside);
  chmodSync(outside, 0o755);
  symlinkSync(outside, join(data, "journal", "link"));
  symlinkSync(outside, join(data, "uploads"));

  keepPrivate(data);

  assert.deepEqual(othersIn(data), ["notes.txt"]);
  assert.deepEqual([modeOf(other), modeOf(outside), modeOf(data)], ["644", "755", "755"]);
  assert.equal(modeOf(join(data, "recordings/a/call.wav")), "600");
  assert.equal(othersIn(join(data, "nowhere")), undefined);
});

test("a volume of root's, ours by its group alone, is used as it was mounted and gone through once", (t) => {
  if (process.getuid?.() !== 0) return t.skip("it takes root to make one");
  const data = aPath();
  for (const name of ["", "recordings", "uploads"]) {
    mkdirSync(join(data, name), { mode: 0o770 });
    chmodSync(join(data, name), 0o2770);
    chownSync(join(data, name), 0, OTHER);
  }
  chmodSync(join(data, ".."), 0o755);
  const code = `import { keepPrivate } from ${JSON.stringify(import.meta.resolve("./data-folder.ts"))};
    process.setgroups([${OTHER}]); process.setgid(${OTHER}); process.setuid(${OTHER});
    console.log(JSON.stringify([keepPrivate(${JSON.stringify(data)}), keepPrivate(${JSON.stringify(data)})]));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], { encoding: "utf8" });
  const nothing = { narrowed: 0, given: 0 };
  assert.deepEqual(JSON.parse(stdout || JSON.stringify(stderr)), [nothing, nothing]);
  assert.equal(modeOf(data), "770");
});
