import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { BOOTSTRAP_KEY } from "#test/support/api/parley.ts";
import { root } from "#test/support/source/source.ts";
import { processEnv } from "./process-env.ts";
import { keepLog } from "./process-log.ts";

/** One process of the service, started as an operator starts it. */
export type ServiceProcess = {
  pid: number;
  /** Of an api: where it listens. */
  url: string | undefined;
  /** What it has written, to stdout and stderr. */
  said: string[];
  /** Its exit code, or the signal that ended it; undefined while it runs. */
  ended(): string | undefined;
  /** SIGKILL, or another; resolves once it has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
};

const START_WITHIN_MS = 180_000;

/** The settings of every process here; the test's own on top. */
export const COMMON_ENV: Readonly<Record<string, string>> = {
  PORT: "0",
  PARLEY_SECRET_KEY: "0123456789abcdef0123456789abcdef",
  PARLEY_BOOTSTRAP_API_KEY: BOOTSTRAP_KEY,
  PARLEY_LOG_LEVEL: "warn",
  PARLEY_FIRST_HOUR_TEXTS: "0",
  PARLEY_SWEEP_INTERVAL_MS: "500",
  PARLEY_RATE_LIMIT: "0",
  PARLEY_SIMULATOR_CALLS: "text",
};

/** Who sees to it that what was started ends: a test, or what ends with it. */
export type Owner = { after(close: () => unknown): void };

/** Starts one, of this checkout or another; an api is waited for until it listens. Killed when its owner ends. */
export async function startProcess(
  owner: Owner,
  role: "api" | "worker" | "media",
  env: Record<string, string>,
  checkout = root,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [join(checkout, "bin/parley.ts"), role], {
    env: processEnv({ ...COMMON_ENV, ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said.push(text);
      keepLog(role, child.pid, text);
    });
  }
  const ended = () => child.signalCode ?? (child.exitCode === null ? undefined : String(child.exitCode));
  const kill = (signal: NodeJS.Signals = "SIGKILL") => end(child, signal);
  owner.after(() => kill());
  const url = role === "api" ? await listening(said, ended) : undefined;
  return {
    pid: child.pid!,
    url,
    said,
    ended,
    kill,
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
  };
}

/** Runs one command of the service's to its end, of this checkout or another: what it wrote to stdout. Fails unless it ends with 0. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string>,
  checkout = root,
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(checkout, "bin/parley.ts"), ...args], {
    env: processEnv({ ...COMMON_ENV, ...env }),
  });
  return stdout;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

async function listening(said: readonly string[], ended: () => string | undefined): Promise<string> {
  for (const until = Date.now() + START_WITHIN_MS; ; await pause(20)) {
    const url = /Parley is ready: (http\S+)/.exec(said.join(""))?.[1];
    if (url) return url;
    if (ended() !== undefined) throw new Error(`the api ended with ${ended()}: ${said.join("")}`);
    if (Date.now() > until) throw new Error(`the api never listened: ${said.join("")}`);
  }
}
