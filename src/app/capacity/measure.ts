import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "#app/embedded-postgres/start.ts";
import { createScratch } from "#store/database/scratch.ts";
import { type CallsFound, measureCalls } from "./calls.ts";
import { busyNow, countedOn, type Measured } from "./costs.ts";
import { measureImports } from "./imports.ts";
import { startScratchService } from "./scratch-service.ts";
import { measureTexts } from "./texts.ts";

export type Capacity = {
  cores: number;
  /** Of all cores, what others had in use before it began. */
  othersBusy: number;
  texts: Measured;
  imports: Measured;
  calls: CallsFound;
};

export type CapacityParts = {
  /** The server that is measured; undefined: an embedded one. */
  databaseUrl: string | undefined;
  /** About so many, for all of it. */
  seconds: number;
  /** Calls are tried up to so many in one process. */
  mostCalls: number;
  /** Rows of a first round, where fewer than usual. */
  first?: number;
  signal: AbortSignal;
  say(line: string): void;
};

/** Of the time. What is left is for starting, for first rounds, and for leads that are stored before they are texted. */
const SHARES = { texts: 0.2, imports: 0.12, calls: 0.45 };

/** Measures this machine with the real engine, on data that is made for it and removed after it, also when `signal` ends it. */
export async function measureCapacity(parts: CapacityParts): Promise<Capacity> {
  const { seconds, signal, say } = parts;
  const folder = mkdtempSync(join(tmpdir(), "parley-capacity-"));
  // As root the database's server runs as another user, who must get through.
  chmodSync(folder, 0o711);
  try {
    const othersBusy = await busyNow(signal);
    const rates = await measureRates(parts, folder);
    say("Calls with sound ...");
    const dataDir = join(folder, "calls");
    mkdirSync(dataDir, { mode: 0o700 });
    const calls = await measureCalls({ seconds: seconds * SHARES.calls, most: parts.mostCalls, dataDir, signal });
    return { cores: cpus().length, othersBusy, ...rates, calls };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureRates(parts: CapacityParts, folder: string): Promise<Pick<Capacity, "texts" | "imports">> {
  const { seconds, signal, say, first } = parts;
  const closers: (() => Promise<void>)[] = [];
  try {
    say("Starting a service on data that is thrown away ...");
    const databaseUrl = parts.databaseUrl ? await scratch(parts.databaseUrl) : await embedded();
    const dataDir = join(folder, "data");
    mkdirSync(dataDir, { mode: 0o700 });
    const service = await startScratchService({ databaseUrl, dataDir, signal });
    closers.push(service.stop);
    const work = { service, counted: countedOn(databaseUrl), signal, ...(first === undefined ? {} : { first }) };
    say("Texts ...");
    const texts = await measureTexts({ ...work, seconds: seconds * SHARES.texts });
    say("Imports ...");
    return { texts, imports: await measureImports({ ...work, seconds: seconds * SHARES.imports }) };
  } finally {
    for (const close of closers.reverse()) await close();
  }

  async function scratch(url: string): Promise<string> {
    const made = await createScratch(url);
    closers.push(made.drop);
    return made.url;
  }
  async function embedded(): Promise<string> {
    const server = await startEmbeddedPostgres({
      dataDir: join(folder, "embedded"),
      systemDir: join(folder, "system"),
      log: () => {},
    });
    closers.push(server.stop);
    return server.url;
  }
}
