import assert from "node:assert/strict";
import { test } from "node:test";
import { surroundings } from "./container.ts";

const NOW = new Date("2026-11-26T12:00:00Z");
const ROOT = "20 1 0:30 / / ro,relatime - overlay overlay rw";
const service = { dataDir: "/data", roles: 3, embedded: true, releasedAt: new Date("2026-11-20T00:00:00Z") };

function problems(files: Record<string, string>, of: Partial<typeof service> = {}, now = NOW): Record<string, string> {
  const findings = surroundings({ ...service, ...of }, now, {
    read: (path) => files[path],
    isThere: (path) => path in files,
  });
  return Object.fromEntries(findings.flatMap(([name, problem]) => (problem === null ? [] : [[name, problem]])));
}

const mounts = (...lines: string[]) => ({ "/.dockerenv": "", "/proc/self/mountinfo": [ROOT, ...lines, ""].join("\n") });
const VOLUME = "container: data directory is a volume";

test("a data directory in the container's own layer, or in memory, is a problem, and a volume is none", () => {
  assert.match(problems(mounts())[VOLUME] ?? "", /^\/data lies in the container's own layer/);
  assert.match(problems(mounts("21 20 0:31 / /data rw - tmpfs tmpfs rw"))[VOLUME] ?? "", /in memory \(tmpfs\)/);
  const volume = "22 20 8:1 /volumes/a /data rw,relatime - ext4 /dev/sda1 rw";
  assert.deepEqual(problems(mounts(volume)), {});
  assert.deepEqual(problems(mounts(volume), { dataDir: "/data/parley" }), {});
  assert.match(problems(mounts(volume), { dataDir: "/database" })[VOLUME] ?? "", /own layer/);
  assert.deepEqual(problems(mounts("23 20 8:1 / /my\\040data rw - ext4 /dev/sda1 rw"), { dataDir: "/my data" }), {});
});

test("outside of a container nothing is said of volumes", () => {
  assert.deepEqual(problems({ "/proc/self/mountinfo": ROOT }), {});
  const disk = "20 1 8:1 / / rw - ext4 /dev/vda rw";
  assert.deepEqual(problems({ "/.dockerenv": "", "/proc/self/mountinfo": disk }), {}, "a machine made of an image");
});

test("a memory limit is compared with what the roles need, of either version of cgroups", () => {
  const two = "/sys/fs/cgroup/memory.max";
  const one = "/sys/fs/cgroup/memory/memory.limit_in_bytes";
  assert.match(
    problems({ [two]: "268435456\n" })["memory limit"] ?? "",
    /^256 MB for 3 roles and the embedded database/,
  );
  assert.match(
    problems({ [one]: "268435456\n" }, { roles: 1, embedded: false })["memory limit"] ?? "",
    /^256 MB for 1 role:/,
  );
  assert.deepEqual(problems({ [two]: "2147483648\n" }), {});
  assert.deepEqual(problems({ [two]: "max\n" }), {});
  assert.deepEqual(problems({ [one]: "9223372036854771712\n" }), {});
});

test("a clock from before the release, and a low limit of open files, are problems", () => {
  assert.match(problems({}, {}, new Date("1970-01-02T00:00:00Z")).date ?? "", /^it is 1970-01-02 here/);
  assert.deepEqual(problems({}, {}, new Date("2026-11-19T12:00:00Z")), {}, "time zones and slow builds");
  const limits = (n: number) => ({
    "/proc/self/limits": `Max open files            ${n}                 524288               files\n`,
  });
  assert.match(problems(limits(1_024))["open files"] ?? "", /^1024 may be open at once/);
  assert.deepEqual(problems(limits(524_288)), {});
});
