// Imported by every test file's process, as `file-end.mjs?ms=900000`: how a file ends that does not end by itself.
import { isMainThread } from "node:worker_threads";
import { startedBy } from "../test/support/children.ts";

const limitMs = Number(new URL(import.meta.url).searchParams.get("ms"));

// node's own limit is of tests and not of files: one whose tests were through, and which a forgotten timer kept, would hang a whole run.
if (Number.isFinite(limitMs)) setTimeout(() => setImmediate(tell), limitMs).unref();

// A run that is interrupted, or a test past its limit: what the file has started would otherwise go on without it. What it forks has this
// module too, and its own idea of being told to end.
if (isMainThread && process.argv[1]?.includes(".test.")) process.once("SIGTERM", () => end(143));

/** Says what keeps the file. Not within the timer: while one goes off, the others do not show. By an immediate, which itself shows as idle. */
function tell() {
  const kept = process.report.getReport().libuv.filter((it) => it.is_active && it.is_referenced && it.type !== "idle");
  const told = kept.map((it) => JSON.stringify(it)).join("\n  ");
  console.error(`This file has not ended after ${limitMs} ms, and is ended. It was kept by:\n  ${told}`);
  end(1);
}

/** Ends this process and all that it has started. */
function end(code) {
  if (process.platform === "linux") startedBy(process.pid).forEach(kill);
  process.exit(code);
}

function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has gone by itself.
  }
}
