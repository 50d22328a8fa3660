import { watch as watchTree } from "node:fs";
import { join } from "node:path";
import { readSources, resolveImport, root } from "#test/support/source/source.ts";
import type { Options } from "./options.ts";
import { allFiles, namedPieces } from "./pieces.ts";
import { countsOf, failureText, say, testText } from "./report.ts";
import { runBatch } from "./run-batch.ts";
import { startServers } from "./servers.ts";

const FOLDERS = ["src", "contract", "test"];
/** An editor writes a file in several steps. */
const SETTLE_MS = 100;
const TEST_TIMEOUT_MS = 600_000;

/** Runs the named tests, and after each change those of them that import what was changed; without names those of what changes. Until Ctrl-C. */
export async function watch({ wanted, seed }: Options): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupted.abort());
  const servers = await startServers(false);
  const named = wanted.length === 0 ? undefined : namedPieces(wanted).map(({ file }) => file);
  const changed = new Set<string>();
  let wake = () => {};
  for (const folder of FOLDERS)
    watchTree(join(root, folder), { recursive: true, signal: interrupted.signal }, (_, name) => {
      if (!name?.endsWith(".ts")) return;
      changed.add(join(folder, name));
      setTimeout(() => wake(), SETTLE_MS);
    });
  interrupted.signal.addEventListener("abort", () => wake());
  try {
    for (let files = named ?? []; ; ) {
      if (files.length > 0) await runOnce(files, servers.newest, seed, interrupted.signal);
      say(`\nWatching ${FOLDERS.join(", ")}; Ctrl-C ends it.`);
      while (changed.size === 0 && !interrupted.signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (interrupted.signal.aborted) return;
      const affected = testsOf(changed);
      changed.clear();
      files = named?.filter((file) => affected.has(file)) ?? [...affected];
    }
  } finally {
    await servers.stop();
  }
}

async function runOnce(files: string[], adminUrl: string, seed: string, signal: AbortSignal): Promise<void> {
  const env = { PARLEY_TEST_SEED: seed, PARLEY_TEST_EXTENT: "sample", PARLEY_TEST_ADMIN_URL: adminUrl };
  const onOutput = (text: string) => void process.stdout.write(text);
  const onTest = (test: Parameters<typeof testText>[0]) => say(testText(test));
  const { tests, failures } = await runBatch({ files, env, timeoutMs: TEST_TIMEOUT_MS, signal, onTest, onOutput });
  const ring = namedPieces(files)[0]!.ring;
  for (const failure of failures) say(failureText({ ...failure, ring }, seed));
  const { passed, failed, skipped } = countsOf(tests);
  say(`${passed} passed, ${failed} failed, ${skipped} skipped`);
}

/** The test files that import one of these, by whatever way. */
function testsOf(changed: ReadonlySet<string>): Set<string> {
  const importers = new Map<string, string[]>();
  for (const { path, imports } of readSources(FOLDERS.map((folder) => `${folder}/**/*.ts`)))
    for (const specifier of imports) {
      const target = resolveImport(path, specifier);
      if (target !== undefined) importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  const reached = new Set(changed);
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  return new Set(allFiles().filter((file) => reached.has(file)));
}
