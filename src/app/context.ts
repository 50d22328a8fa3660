import { readFileSync } from "node:fs";
import { pino } from "pino";
import { handsetNetwork, simulatedCarrier } from "#adapters/carriers/simulator/carrier.ts";
import { offlineModel } from "#adapters/language/offline/offline.ts";
import { openAiCompatibleModel } from "#adapters/language/openai-compatible/openai-compatible.ts";
import { simulatedRegistry } from "#adapters/registry/simulated/registry.ts";
import { createCallingWindows } from "#domain/calling-window.ts";
import { numberPlan } from "#domain/number-plan.ts";
import type { Context, NodeLease } from "#operations/context.ts";
import { openDb } from "#store/db.ts";
import { simulatorBooks } from "#store/simulator.ts";
import type { Config } from "./config.ts";
import { uuidSource } from "./ids.ts";
import { digester, secretKey } from "./secret-key.ts";

const data = (name: string): string => readFileSync(new URL(`../../data/${name}`, import.meta.url), "utf8");

/** Every call makes the adapters anew; what they share is the database. */
export type Wired = { ctx: Context; books: ReturnType<typeof simulatorBooks>; close(): Promise<void> };

/** Puts a process's operations together: the one place that knows which adapters there are. */
export function wire(config: Config, databaseUrl: string, name: string, node?: NodeLease): Wired {
  const log = pino({ name, level: config.logLevel });
  const newId = uuidSource();
  const db = openDb({ url: databaseUrl, poolSize: config.databasePool, applicationName: `parley ${name}` });
  const plan = numberPlan(data("area-codes.csv"), data("exchange-time-zones.csv"));
  const windows = createCallingWindows();
  const books = simulatorBooks(db);
  const simulator = simulatedCarrier(
    { books, plan, windows, random: Math.random },
    {
      latencyMs: config.simulatorLatencyMs,
      ratePerSecond: config.simulatorRate,
      lostReplyRate: config.simulatorLostReplyRate,
      profile: config.complianceProfile,
    },
  );
  const model = config.llmBaseUrl
    ? openAiCompatibleModel({
        baseUrl: config.llmBaseUrl,
        model: config.llmModel!,
        timeoutMs: config.llmTimeoutMs,
        ...(config.llmApiKey ? { apiKey: config.llmApiKey } : {}),
      })
    : offlineModel();
  const ctx: Context = {
    db,
    now: () => new Date(),
    newId,
    digest: digester(secretKey(config), "api-keys"),
    numberPlan: plan,
    callingWindows: windows,
    profile: config.complianceProfile,
    carriers: {
      // No carrier for live keys is configured yet: they are told so, and nothing is pretended.
      forMode: (mode) => (mode === "test" ? simulator : undefined),
      byName: (wanted) => (wanted === simulator.name ? simulator : undefined),
    },
    models: { forMode: () => model },
    registry: simulatedRegistry,
    handsets: handsetNetwork(books),
    node: node ?? { id: newId(), alive: () => true },
    log,
  };
  return { ctx, books, close: () => db.close() };
}
