import { join } from "node:path";
import { destination, pino } from "pino";
import { uploadFolder } from "#adapters/files/uploads.ts";
import type { Config } from "#app/settings/config.ts";
import { digester, secretKey } from "#app/settings/secret-key.ts";
import type { Context, NodeLease } from "#operations/context.ts";
import { openDb } from "#store/database/db.ts";
import { sessionName } from "#store/system/nodes.ts";
import { uuidSource } from "./ids.ts";

/** In the data directory: uploaded files, until they have been read. */
const UPLOADS = "uploads";

/** What every process has. Carriers, models and telephones are wired in app/context.ts; to load them takes a thread 40 MB. */
export type Basics = Pick<Context, "db" | "now" | "newId" | "hashPhone" | "uploads" | "log" | "node">;

/** Opens the database for a process or a thread, under its name. */
export function basicsOf(
  config: Config & { answerWithinMs?: number },
  databaseUrl: string,
  name: string,
  lease?: NodeLease,
): Basics {
  const newId = uuidSource();
  const node = lease ?? { id: newId(), alive: () => true };
  const hashOfPhone = digester(secretKey(config), "erased-phones");
  return {
    // What a command prints may be a file.
    log: pino({ name, level: config.logLevel }, destination(name === "cli" ? 2 : 1)),
    db: openDb({
      url: databaseUrl,
      sharesSessions: config.databaseSessionUrl !== undefined,
      poolSize: config.databasePool,
      applicationName: sessionName(name, node.id),
      ...(config.answerWithinMs === undefined ? {} : { answerWithinMs: config.answerWithinMs }),
    }),
    now: () => new Date(),
    newId,
    hashPhone: (tenantId, phone) => hashOfPhone(`${tenantId} ${phone}`),
    uploads: uploadFolder(join(config.dataDir, UPLOADS)),
    node,
  };
}
