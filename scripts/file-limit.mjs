// Imported by every test file's process, as `file-limit.mjs?ms=900000`: ends one that is kept from ending, and says by what. node's own limit
// is of tests and not of files: one whose tests were through, and which a forgotten timer kept, would hang a whole run.
const limitMs = Number(new URL(import.meta.url).searchParams.get("ms"));

setTimeout(() => setImmediate(end), limitMs).unref();

/** Not within the timer: while one goes off, the others do not show. By an immediate, which itself shows as idle. */
function end() {
  const kept = process.report.getReport().libuv.filter((it) => it.is_active && it.is_referenced && it.type !== "idle");
  const told = kept.map((it) => JSON.stringify(it)).join("\n  ");
  console.error(`This file has not ended after ${limitMs} ms, and is ended. It was kept by:\n  ${told}`);
  process.exit(1);
}
