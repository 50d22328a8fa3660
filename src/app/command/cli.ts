import { Command } from "commander";
import { wire } from "#app/context.ts";
import { demoKey, loadDemo } from "#app/demo/command.ts";
import { RELEASE } from "#app/process/release.ts";
import { noteStart, openDatabase } from "#app/roles/database.ts";
import { createTenant, tenantLine } from "#app/roles/keys.ts";
import { settle } from "#app/roles/own-user.ts";
import type { Service } from "#app/roles/service.ts";
import type { Part } from "#app/roles/worker.ts";
import { CONFIG_EXIT_CODE, type Config, ConfigError, describeConfig, readConfig } from "#app/settings/config.ts";
import { LARGE_ANSWER_WITHIN_MS } from "#store/database/connections.ts";
import { OutdatedError } from "#store/database/needs.ts";
import { UnprotectedError } from "#store/database/row-security.ts";
import { auditCommand } from "./audit.ts";
import { backupCommand, fenceCommand, restoreCommand } from "./backup-command.ts";
import { banCommand } from "./bans.ts";
import { capacityCommand } from "./capacity.ts";
import { carrierCommand } from "./carrier-command.ts";
import { citusCommand } from "./citus.ts";
import { diagnose } from "./doctor.ts";
import { commandContext, operatingUser, type WithDatabase } from "./entries.ts";
import { evidenceCommand } from "./evidence.ts";
import { keyCommand } from "./key-command.ts";
import { liveCommand } from "./live.ts";
import { userCommand } from "./people.ts";
import { doNotCallCommand, screeningCommand } from "./screening-command.ts";
import { secretCommand } from "./secret-command.ts";

type Say = (line: string) => void;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** What another start would find as it is. */
const STAYS_WRONG = [ConfigError, UnprotectedError, OutdatedError];

/** The command line. Ends the process with 78 for a wrong configuration, an unsafe database or one of a later release, and 1 for any other failure, one clear line each. */
export async function run(args: string[]): Promise<void> {
  // Whoever read our output has gone (`parley start | head`): no reason to stop serving.
  process.stdout.on("error", () => {});
  try {
    await program().parseAsync(args, { from: "user" });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(STAYS_WRONG.some((type) => error instanceof type) ? CONFIG_EXIT_CODE : 1);
  }
}

/** The whole command line; a test gives it a database of its own, and reads what it says. */
export function program(withDatabase: WithDatabase = opened, say = print): Command {
  const parley = new Command("parley").description("AI-driven campaigns over SMS and the phone").version(RELEASE);
  parley.hook("preAction", (_, command) => {
    running = nameOf(command);
  });
  parley
    .command("start")
    .description("start everything: API, worker and media node, on the embedded database unless DATABASE_URL is set")
    .option("--demo", "load demo data and start a campaign on simulated phones")
    .action((options: { demo?: boolean }) => serve(readConfig(), options.demo === true));
  parley
    .command("api")
    .description("start the API alone")
    .action(() => serve({ ...readConfig(), roles: ["api"] }, false));
  parley
    .command("worker")
    .description("start a worker alone")
    .action(() => work("worker"));
  parley
    .command("media")
    .description("start a media node alone: it places calls and holds them")
    .action(() => work("media"));
  parley
    .command("migrate")
    .description("bring the database to this version's schema")
    .action(() => withDatabase(async () => say("The database is up to date.")));
  parley.addCommand(backupCommand(say)).addCommand(restoreCommand(say)).addCommand(fenceCommand(withDatabase, say));
  parley.addCommand(tenantCommand(withDatabase, say)).addCommand(configCommand(say));
  parley.addCommand(liveCommand(withDatabase, say));
  parley.addCommand(keyCommand(withDatabase, say));
  parley.addCommand(userCommand(withDatabase, say));
  parley.addCommand(auditCommand(withDatabase, say));
  parley.addCommand(evidenceCommand(withDatabase, say));
  parley.addCommand(secretCommand(withDatabase, say));
  parley.addCommand(banCommand(withDatabase, say));
  parley.addCommand(carrierCommand(withDatabase, say));
  parley.addCommand(citusCommand(withDatabase, say));
  parley.addCommand(capacityCommand(say));
  parley.addCommand(doNotCallCommand(withDatabase, say)).addCommand(screeningCommand(withDatabase, say));
  parley
    .command("doctor")
    .description("check the configuration, the database and this machine")
    .action(async () => {
      const config = readConfig();
      await settle({ ...config, roles: [] }, () => {});
      const { lines, healthy } = await diagnose(config);
      for (const line of lines) say(line);
      if (!healthy) process.exitCode = 1;
    });
  return parley;
}

function tenantCommand(withDatabase: WithDatabase, say: Say): Command {
  const tenant = new Command("tenant").description("tenants");
  tenant
    .command("create")
    .argument("<name>")
    .description("create a tenant and print its id")
    .action((name: string) => withDatabase(async (ctx) => say(tenantLine(await createTenant(ctx, name)))));
  return tenant;
}

function configCommand(say: Say): Command {
  const config = new Command("config").description("settings");
  config
    .command("print")
    .description("print every setting, secrets hidden")
    .action(() => say(describeConfig(readConfig()).trimEnd()));
  return config;
}

/** The command that this process was started for. */
let running = "parley";

export const runningCommand = (): string => running;

const nameOf = (command: Command | null): string =>
  command === null ? "" : `${nameOf(command.parent)} ${command.name()}`.trim();

const opened: WithDatabase = async (work) => {
  const config = readConfig();
  const by = operatingUser();
  await settle({ ...config, roles: [] }, () => {});
  // What a command prints may be read by a program, or be a file.
  const database = await openDatabase(config, (line) => void process.stderr.write(`${line}\n`));
  const patient = { databasePool: 1, logLevel: "warn", answerWithinMs: LARGE_ANSWER_WITHIN_MS } as const;
  const { ctx, close } = wire({ ...config, ...patient }, database.url, "cli");
  try {
    const as = commandContext(ctx, { name: running, by });
    await work(as.ctx, config, as.entries);
  } finally {
    await close();
    await database.stop();
  }
};

async function serve(config: Config, demo: boolean): Promise<void> {
  const ends = endOnSignal();
  const { startService } = await import("#app/roles/service.ts");
  const held = await settle(config, print);
  const service = await startService(config, print, held);
  if (ends(() => service.stop())) return;
  greet(service, config);
  if (demo) {
    const key = demoKey(service, config);
    for (const line of typeof key === "string" ? [key] : await loadDemo(service.url!, key, print)) print(line);
  }
  if (service.url && service.setupToken) {
    print(`Set up the console, once: ${service.url}/console/setup#token=${service.setupToken} (good for 24 hours)`);
  }
}

function greet({ url, apiKey }: Service, config: Config): void {
  if (!url) return;
  print(`Parley is ready: ${url}${config.reference === "open" ? `  (reference: ${url}/docs)` : ""}`);
  if (apiKey?.isNew) print(`API key for simulated phones, shown this once: ${apiKey.text}`);
}

/** A process reads the files of its own role alone: those of all are half as many again, and several start at once. */
const START: Readonly<
  Record<"worker" | "media", () => Promise<(config: Config, databaseUrl: string) => Promise<Part>>>
> = {
  worker: async () => (await import("#app/roles/worker.ts")).startWorker,
  media: async () => (await import("#app/roles/media.ts")).startMedia,
};

async function work(role: keyof typeof START): Promise<void> {
  const config = readConfig();
  const ends = endOnSignal();
  const start = await START[role]();
  await settle({ ...config, roles: [] }, print);
  const database = await openDatabase(config, print);
  const part = await start(config, database.url);
  // A child's parent has said so.
  if (!process.send) noteStart({ roles: [role] }, database.sessionUrl, print);
  ends(async () => {
    await part.stop();
    await database.stop();
  });
}

/** How long a start may still take once the process is to end: the packages of deploy/ wait longer before they kill it, and a parent for 30 s. */
const START_GRACE_MS = 25_000;

/**
 * Ends the process in order on the first signal, and when the parent that forked us is gone; at once on the second signal. To be called before anything
 * starts; what it returns takes how to stop once all has started, and is true where the process is to end already.
 */
function endOnSignal(): (stop: () => Promise<void>) => boolean {
  let isEnding = false;
  let stopAll: (() => Promise<void>) | undefined;
  let patience: NodeJS.Timeout | undefined;
  const finish = async (stop: () => Promise<void>) => {
    await stop().catch((error: Error) => process.stderr.write(`${error.message}\n`));
    process.exit(0);
  };
  const end = (signal?: NodeJS.Signals) => {
    if (isEnding && signal) process.exit(1);
    if (isEnding) return;
    isEnding = true;
    if (stopAll) void finish(stopAll);
    else patience = setTimeout(() => process.exit(1), START_GRACE_MS).unref();
  };
  process.on("SIGTERM", end);
  // A terminal's Ctrl-C reaches a forked worker too: its parent signals it when to stop.
  process.on("SIGINT", process.send ? () => {} : end);
  if (process.send) process.on("disconnect", () => end());
  // The parent may have gone before: `disconnect` is not emitted again.
  if (process.send && !process.connected) end();
  return (stop) => {
    stopAll = stop;
    // What stops it has limits of its own.
    clearTimeout(patience);
    if (isEnding) void finish(stop);
    return isEnding;
  };
}
