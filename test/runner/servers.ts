// The PostgreSQL servers that the tests clone their databases on: the embedded one, and the oldest that we support where Debian's package is.
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "#app/embedded-postgres/start.ts";
import { startDebianPostgres } from "./debian-postgres.ts";
import { deadlocksIn, makeFolder, roomForData, TEST_SERVER } from "./server-folder.ts";

/** Debian's package of the oldest version. */
export const OLDEST = "/usr/lib/postgresql/15/bin";
export const hasOldest = (): boolean => existsSync(join(OLDEST, "postgres"));

export type Servers = {
  newest: string;
  /** Undefined where it is not wanted or not installed. */
  oldest: string | undefined;
  /** Ends them. Resolves to what their logs report of deadlocks. */
  stop(): Promise<string[]>;
};

/** What the servers report, within the folder of their data. */
const LOGS = ["embedded/postgres/server.log", "debian/server.log"];

export async function startServers(wantsOldest: boolean): Promise<Servers> {
  const folder = makeFolder(tmpdir());
  const data = makeFolder(roomForData());
  // Every process loads the same files: what Node makes of them is kept, which halves what each costs to start.
  process.env.NODE_COMPILE_CACHE ??= join(folder, "compiled");
  process.env.TEST_RUN_FOLDER = folder;
  const remove = () => {
    for (const path of [folder, data]) rmSync(path, { recursive: true, force: true });
  };
  const newest = startEmbeddedPostgres({
    dataDir: join(data, "embedded"),
    systemDir: join(folder, "system"),
    log: console.error,
    serverSettings: TEST_SERVER,
  });
  const oldest = wantsOldest && hasOldest() ? startDebianPostgres(OLDEST, join(data, "debian")) : undefined;
  const started = await Promise.allSettled([newest, oldest]);
  const failed = started.find((result) => result.status === "rejected");
  const stop = async () => {
    for (const result of started) if (result.status === "fulfilled") await result.value?.stop();
    const deadlocks = LOGS.flatMap((log) => deadlocksIn(join(data, log)));
    remove();
    return deadlocks;
  };
  if (failed) {
    await stop();
    throw failed.reason;
  }
  return { newest: (await newest).adminUrl, oldest: (await oldest)?.adminUrl, stop };
}
