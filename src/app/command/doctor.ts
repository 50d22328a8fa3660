import { createPublicKey } from "node:crypto";
import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { wire } from "#app/context.ts";
import { VERSION } from "#app/process/release.ts";
import { openDatabase } from "#app/roles/database.ts";
import type { Config } from "#app/settings/config.ts";
import { describeSpeech } from "#app/speech.ts";
import { fingerprintOf } from "#domain/contacts/evidence-pack.ts";
import { evidenceKey } from "#operations/contacts/make-evidence.ts";
import * as ready from "#store/database/ready.ts";
import { replicaFit } from "#store/database/replica-fit.ts";
import { reachable } from "#store/database/servers.ts";
import { surroundings } from "./container.ts";

/** As old as the checkout, or the image. */
const PACKAGE = fileURLToPath(new URL("../../../package.json", import.meta.url));

/** Tries what the service needs, one line each; a problem comes with what to do. */
export async function diagnose(config: Config): Promise<{ lines: string[]; healthy: boolean }> {
  const lines: string[] = [];
  let healthy = true;
  const note = (name: string, problem: string | null) => {
    lines.push(`${problem === null ? "ok  " : "FAIL"} ${name}${problem === null ? "" : `: ${problem}`}`);
    if (problem !== null) healthy = false;
  };
  note(
    `Node ${process.version}`,
    Number(process.versions.node.split(".")[0]) >= 24 ? null : "24 or later is needed; use npm start",
  );
  note(`data directory ${config.dataDir}`, writable(config.dataDir));
  const here = {
    dataDir: config.dataDir,
    roles: config.roles.length,
    embedded: !config.databaseUrl,
    releasedAt: statSync(PACKAGE).mtime,
  };
  // To be looked at, but none keeps the service from working: who tries it in a container may well do without a volume.
  for (const [name, problem] of surroundings(here, new Date()))
    lines.push(problem === null ? `ok   ${name}` : `warn ${name}: ${problem}`);
  try {
    const database = await openDatabase(config, () => {});
    const { ctx, close } = wire({ ...config, databasePool: 1, logLevel: "silent" }, database.url, "doctor");
    const state = await ready.check(ctx.db, () => ctx.now(), VERSION);
    note(config.databaseUrl ? "database" : "embedded database", state.database);
    note("migrations", state.migrations);
    note(
      "clock",
      state.skewMs !== null && Math.abs(state.skewMs) > 1_000 ? `${state.skewMs} ms away from the database's` : null,
    );
    if (state.migrations === null) {
      const key = createPublicKey(await evidenceKey(ctx));
      lines.push(`     evidence is signed with the key ${fingerprintOf(key)}`);
    }
    const { shared } = ctx.objects;
    // Calls and texts go on without it, and what they leave waits on this disk: but it waits for somebody to see to it.
    if (shared !== undefined) note(`objects in ${shared.address}`, await shared.problem());
    for (const { name, isThere } of await reachable(database.sessionUrl))
      note(`server ${name} of the cluster`, isThere ? null : "the coordinator does not reach it");
    if (config.databaseReplicaUrl !== undefined) note(...(await tryReplica(config)));
    const warning = await ready.ownerWarning(ctx.db);
    if (warning !== undefined) lines.push(`warn row security: ${warning}`);
    await close();
    await database.stop();
  } catch (error) {
    note("database", (error as Error).message);
  }
  lines.push(
    `     language model: ${config.llmBaseUrl ? `${config.llmModel} at ${config.llmBaseUrl}` : "the offline agent"}`,
    ...describeSpeech(config),
  );
  return { lines, healthy };
}

/** Waits until the replica can answer, for as long as a request would, and says how far it was behind. */
async function tryReplica(config: Config): Promise<[name: string, problem: string | null]> {
  const { databaseUrl, databaseSessionUrl, databaseReplicaUrl, replicaLagMs } = config;
  const { wrong, away, lagMs } = await replicaFit((databaseSessionUrl ?? databaseUrl)!, databaseReplicaUrl!, {
    waitMs: replicaLagMs,
  });
  if (wrong !== undefined) return ["read replica", `DATABASE_REPLICA_URL ${wrong}`];
  if (away !== undefined) return ["read replica", away];
  if (lagMs === undefined)
    return ["read replica", `it is more than ${replicaLagMs} ms behind: lists and reports are read from the database`];
  return [`read replica, ${Math.ceil(lagMs)} ms behind`, null];
}

function writable(folder: string): string | null {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    return null;
  } catch (error) {
    return `${(error as Error).message}; set PARLEY_DATA_DIR`;
  }
}
