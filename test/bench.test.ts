import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

test("every suite of the benchmark runs, and each figure is one line of JSON", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["bench/run.ts", "--small"], {
    cwd: new URL("..", import.meta.url),
    timeout: 840_000,
  });

  const figures = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([...new Set(figures.map(({ suite }) => suite))].sort(), [
    "calllist",
    "calls",
    "carriers",
    "chain",
    "dial",
    "hostile",
    "http",
    "import",
    "latency",
    "leads",
    "list",
    "media",
    "memory",
    "reply",
    "send",
  ]);
  for (const figure of figures) {
    assert.deepEqual(Object.keys(figure), ["suite", "name", "value", "unit", "baseline", "ratio"]);
    assert.ok(figure.value > 0, JSON.stringify(figure));
  }
});
