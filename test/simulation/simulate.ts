import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startEmbeddedPostgres } from "#app/embedded-postgres/start.ts";
import type { Outcome, Simulation } from "./run.ts";
import { shrink } from "./shrink.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    trace: { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
    seeds: { type: "string", default: "1000" },
    from: { type: "string" },
    minutes: { type: "string" },
    "keep-going": { type: "boolean", default: false },
  },
});

const print = (line: string) => process.stdout.write(`${line}\n`);

/** One seed, with all that there is to know about it. */
async function replay(simulation: Simulation, seed: number): Promise<boolean> {
  let outcome = await simulation.run(seed, { keepTrace: values.trace });
  if (values.shrink && outcome.problems.length > 0) {
    const plan = await shrink(simulation, outcome);
    outcome = await simulation.run(seed, { plan, keepTrace: values.trace });
  }
  if (values.trace) print(outcome.lines.join("\n"));
  print(`${JSON.stringify(outcome.plan)}\nfingerprint ${outcome.fingerprint}`);
  for (const problem of outcome.problems) print(problem);
  return outcome.problems.length === 0;
}

/** Seed after seed, until one fails; then what it was like altogether. */
async function search(simulation: Simulation): Promise<boolean> {
  const from = Number(values.from ?? Date.now() % 1_000_000_000);
  const begin = performance.now();
  const endsAt = values.minutes ? begin + Number(values.minutes) * 60_000 : Number.POSITIVE_INFINITY;
  const count = values.minutes ? Number.POSITIVE_INFINITY : Number(values.seeds);
  const done: Omit<Outcome, "lines" | "plan">[] = [];
  for (let seed = from; seed < from + count && performance.now() < endsAt; seed++) {
    const { lines: _lines, plan: _plan, ...outcome } = await simulation.run(seed);
    done.push(outcome);
    if (outcome.problems.length === 0) continue;
    print(`seed ${seed}: ${outcome.problems.join(" | ")}`);
    print(`  npm run simulate -- --seed ${seed} --trace --shrink`);
    if (!values["keep-going"]) break;
  }
  const hours = (performance.now() - begin) / 3_600_000;
  const sum = (of: (outcome: Omit<Outcome, "lines" | "plan">) => number) =>
    done.reduce((total, outcome) => total + of(outcome), 0);
  const days = sum((outcome) => outcome.simulatedMs) / 86_400_000;
  const failed = done.filter((outcome) => outcome.problems.length > 0).length;
  const figures = {
    from,
    seeds: done.length,
    failed,
    seedsPerHour: Math.round(done.length / hours),
    daysPerHour: Math.round(days / hours),
    days: Math.round(days),
    steps: sum((outcome) => outcome.steps),
    statements: sum((outcome) => outcome.statements),
    lockWaits: sum((outcome) => outcome.lockWaits),
    deadlocks: sum((outcome) => outcome.deadlocks),
    texts: sum((outcome) => outcome.texts),
  };
  print(JSON.stringify(figures));
  return failed === 0;
}

/** A server that may lose everything is several times quicker, and one that tidies up by itself is not deterministic. */
const UNSAFE = ["fsync", "full_page_writes", "synchronous_commit", "autovacuum"];

const folder = mkdtempSync(join(tmpdir(), "parley-simulation-"));
// As root the server runs as another user, who must get through.
chmodSync(folder, 0o711);
const server = await startEmbeddedPostgres({
  dataDir: join(folder, "embedded"),
  systemDir: join(folder, "system"),
  log: (line) => process.stderr.write(`${line}\n`),
});
let isWell = false;
try {
  const admin = new pg.Client({ connectionString: server.adminUrl });
  await admin.connect();
  for (const name of UNSAFE) await admin.query(`alter system set ${name} = off`);
  await admin.query("select pg_reload_conf()");
  await admin.end();
  // Read by test/support/database/database.ts when it is loaded.
  process.env.PARLEY_TEST_ADMIN_URL = server.adminUrl;
  const [{ createDatabase }, { openSimulation }] = await Promise.all([
    import("#test/support/database/database.ts"),
    import("./run.ts"),
  ]);
  const simulation = await openSimulation((await createDatabase()).url);
  try {
    isWell = values.seed ? await replay(simulation, Number(values.seed)) : await search(simulation);
  } finally {
    await simulation.close();
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
// Processes that died in a run left code behind that waits for ever.
process.exit(isWell ? 0 : 1);
