import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "#app/embedded-postgres/start.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" }, seed: { type: "string" } } });
const seconds = Number(values.seconds);
const seed = values.seed === undefined ? Date.now() % 2_000_000_000 : Number(values.seed);
if (!(seconds >= 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write("npm run fuzz -- [--seconds N] [--seed S], both numbers\n");
  process.exit(2);
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const mb = (bytes: number) => Math.round(bytes / 1024 / 1024);
const folder = mkdtempSync(join(tmpdir(), "parley-fuzz-"));
// As root the server runs as another user, who must get through.
chmodSync(folder, 0o711);
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined;
try {
  if (!process.env.PARLEY_TEST_ADMIN_URL) {
    server = await startEmbeddedPostgres({
      dataDir: join(folder, "embedded"),
      systemDir: join(folder, "system"),
      log: (line) => process.stderr.write(`${line}\n`),
    });
    process.env.PARLEY_TEST_ADMIN_URL = server.adminUrl;
  }
  // Only now: what they import reads the server's address when it is loaded.
  const { openApiProcess } = await import("#test/support/processes/api-process.ts");
  const { fuzzer, lineOf } = await import("./fuzz.ts");
  const api = await openApiProcess();
  try {
    const fuzz = await fuzzer(api);
    const before = api.residentBytes();
    say(`seed ${seed}, ${seconds} s`);
    const report = await fuzz(seed, { ms: seconds * 1_000 });
    for (const finding of report.findings) say(lineOf(finding));
    for (const complaint of api.complaints) say(`the api's log: ${complaint.slice(0, 2_000)}`);
    say(
      `${report.requests} requests, ${report.distinct5xx.length} distinct 5xx${report.distinct5xx.map((failure) => ` (${failure})`).join("")}, ` +
        `${report.findings.length} findings, ${report.ownFailures} of the interface's own 500s, by status ${JSON.stringify(report.statuses)}, ` +
        `resident ${mb(before)} -> ${mb(api.residentBytes())} MB`,
    );
    process.exitCode = report.findings.length > 0 || report.distinct5xx.length > 0 ? 1 : 0;
  } finally {
    await api.stop();
  }
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
