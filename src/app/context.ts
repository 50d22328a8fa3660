import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { handsetNetwork, simulatedCarrier } from "#adapters/carriers/simulator/carrier.ts";
import { fileJournal } from "#adapters/journal/files.ts";
import { offlineModel } from "#adapters/language/offline/offline.ts";
import { openAiCompatibleModel } from "#adapters/language/openai-compatible/openai-compatible.ts";
import { simulatedReassignedNumbers } from "#adapters/reassigned/simulated/reassigned-numbers.ts";
import { simulatedRegistry } from "#adapters/registry/simulated/registry.ts";
import { uploadFolder } from "#adapters/uploads/files/folder.ts";
import { createCallingWindows } from "#domain/calling-window.ts";
import { type NumberPlan, numberPlan } from "#domain/number-plan.ts";
import type { Context, NodeLease } from "#operations/context.ts";
import { openDb } from "#store/db.ts";
import { simulatorBooks } from "#store/simulator.ts";
import type { Config } from "./config.ts";
import { uuidSource } from "./ids.ts";
import { digester, secretKey } from "./secret-key.ts";

const data = (name: string): string => readFileSync(new URL(`../../data/${name}`, import.meta.url), "utf8");

/** In the data directory: what left and who said stop, for the day on which the database is put back. */
export const JOURNAL = "journal";

let plan: NumberPlan | undefined;
/** Read once a process: it takes a fifth of a second and 18 MB, and never changes. */
const sharedPlan = (): NumberPlan => {
  plan ??= numberPlan(data("area-codes.csv"), data("exchange-time-zones.csv"));
  return plan;
};

/** In the data directory: files that callers send, until they have been read. */
const UPLOADS = "uploads";

/** Every call makes the adapters anew; what they share is the database, and the number plan. */
export type Wired = { ctx: Context; books: ReturnType<typeof simulatorBooks>; close(): Promise<void> };

/** Puts a process's operations together: the one place that knows which adapters there are. */
export function wire(config: Config, databaseUrl: string, name: string, node?: NodeLease): Wired {
  const log = pino({ name, level: config.logLevel });
  const newId = uuidSource();
  const db = openDb({ url: databaseUrl, poolSize: config.databasePool, applicationName: `parley ${name}` });
  const plan = sharedPlan();
  const windows = createCallingWindows();
  const books = simulatorBooks(db);
  const simulator = simulatedCarrier(
    { books, plan, windows, random: Math.random },
    {
      latencyMs: config.simulatorLatencyMs,
      ratePerSecond: config.simulatorRate,
      lostReplyRate: config.simulatorLostReplyRate,
      receiptMs: config.simulatorReceiptMs,
      tells: config.simulatorTells,
      profile: config.complianceProfile,
    },
  );
  const journal = fileJournal({
    folder: join(config.dataDir, JOURNAL),
    writer: `${name}-${newId()}`,
    days: config.journalDays,
    now: () => new Date(),
  });
  const model = config.llmBaseUrl
    ? openAiCompatibleModel({
        baseUrl: config.llmBaseUrl,
        model: config.llmModel!,
        timeoutMs: config.llmTimeoutMs,
        ...(config.llmApiKey ? { apiKey: config.llmApiKey } : {}),
      })
    : offlineModel();
  const root = secretKey(config);
  const hashOfPhone = digester(root, "erased-phones");
  const ctx: Context = {
    db,
    now: () => new Date(),
    newId,
    digest: digester(root, "api-keys"),
    hashPhone: (tenantId, phone) => hashOfPhone(`${tenantId} ${phone}`),
    numberPlan: plan,
    callingWindows: windows,
    profile: config.complianceProfile,
    pricePerSegment: config.pricePerSegment,
    carriers: {
      // No carrier for live keys is configured yet: they are told so, and nothing is pretended.
      forMode: (mode) => (mode === "test" ? simulator : undefined),
      byName: (wanted) => (wanted === simulator.name ? simulator : undefined),
    },
    models: { forMode: () => model },
    registry: simulatedRegistry,
    reassignedNumbers: config.reassignedNumbers === "simulated" ? simulatedReassignedNumbers : undefined,
    handsets: handsetNetwork(books),
    uploads: uploadFolder(join(config.dataDir, UPLOADS)),
    journal,
    node: node ?? { id: newId(), alive: () => true },
    log,
  };
  return { ctx, books, close: () => Promise.all([db.close(), journal.close()]).then(() => {}) };
}
