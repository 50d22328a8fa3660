// npm run demo:make: plays the story of the demo data, writes data/demo, and prints what is in it.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "#app/embedded-postgres/start.ts";
import { root } from "#test/support/source/source.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-demo-"));
// As root the server runs as another user, who must get through.
chmodSync(folder, 0o711);
const begun = Date.now();
const say = (line: string) => process.stderr.write(`${Math.round((Date.now() - begun) / 1000)} s: ${line}\n`);
const ends: (() => unknown)[] = [];
const server = await startEmbeddedPostgres({
  dataDir: join(folder, "embedded"),
  systemDir: join(folder, "system"),
  log: say,
});
try {
  process.env.PARLEY_TEST_ADMIN_URL = server.adminUrl;
  // Only now: what they import reads the server's address when it is loaded.
  const [{ play }, { fileOf, write }, { summaryOf }] = await Promise.all([
    import("./play.ts"),
    import("./write.ts"),
    import("./summary.ts"),
  ]);
  const played = await play({ after: (end: () => unknown) => void ends.unshift(end) }, say);
  const file = await fileOf(played);
  write(join(root, "data/demo"), file);
  process.stdout.write(`${JSON.stringify(summaryOf(file.lines), undefined, 1)}\n`);
} finally {
  for (const end of ends) await end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
