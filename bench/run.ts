import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "#app/embedded-postgres/start.ts";
import { atOnce } from "#test/support/time/at-once.ts";
import type { Bench, Suite } from "./suite.ts";

/** In the order in which they are run. */
const SUITES = [
  "leads",
  "send",
  "carriers",
  "reply",
  "list",
  "http",
  "latency",
  "hostile",
  "memory",
  "import",
  "chain",
  "calllist",
  "dial",
  "media",
  "calls",
] as const;
/** Run only when they are named: they need Chromium and the console's build, 60 GB and an hour, a cluster. */
const BY_NAME = ["console", "growth", "citus"] as const;

/** Suites of a small run at one time. */
const SMALL_AT_ONCE = 3;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { small: { type: "boolean", default: false }, profile: { type: "string" } },
});
const all: readonly string[] = [...SUITES, ...BY_NAME];
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no suite ${unknown.join(", ")}; there are ${all.join(", ")}.\n`);
  process.exit(2);
}
const wanted = positionals.length === 0 ? SUITES : all.filter((name) => positionals.includes(name));

const folder = mkdtempSync(join(tmpdir(), "parley-bench-"));
// As root the server runs as another user, who must get through.
chmodSync(folder, 0o711);
// On a signal it ends as after a failure: its server is stopped and its folder removed.
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => reject(new Error(`ended by ${signal}`)));
});
interrupted.catch(() => {});
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined;
try {
  // A test brings the server along; on our own it is one with the settings of production, syncing included.
  if (!process.env.PARLEY_TEST_ADMIN_URL) {
    server = await startEmbeddedPostgres({
      dataDir: join(folder, "embedded"),
      systemDir: join(folder, "system"),
      log: (line) => process.stderr.write(`${line}\n`),
    });
    process.env.PARLEY_TEST_ADMIN_URL = server.adminUrl;
  }
  // A small run proves the suites, not the speed: they may be in each other's way, and most of their time is waiting.
  await Promise.race([atOnce(values.small ? SMALL_AT_ONCE : 1, wanted, runSuite), interrupted]);
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function runSuite(name: (typeof wanted)[number]): Promise<void> {
  process.stderr.write(`${name} ...\n`);
  const bench: Bench = {
    small: values.small,
    folder: join(folder, name),
    profile: values.profile,
    figure: (figure) => process.stdout.write(`${JSON.stringify({ suite: name, ...rounded(figure) })}\n`),
  };
  mkdirSync(bench.folder);
  // Only now: what they import reads the server's address when it is loaded.
  const { run } = (await import(`./suites/${name}.ts`)) as { run: Suite };
  await run(bench);
}

function rounded({ name, value, unit, baseline }: Parameters<Bench["figure"]>[0]) {
  const three = (amount: number) => Number(amount.toPrecision(4));
  const ratio = baseline === null ? null : three(value / baseline);
  return { name, value: three(value), unit, baseline: baseline === null ? null : three(baseline), ratio };
}
