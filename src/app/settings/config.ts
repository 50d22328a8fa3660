import { readFileSync } from "node:fs";
import { objectProblems } from "./object-settings.ts";
import { type Config, SETTINGS, type Setting, SettingProblem } from "./settings.ts";
import { speechProblems } from "./speech-settings.ts";

export type { Config } from "./settings.ts";

/** sysexits.h: EX_CONFIG. So supervisors distinguish a wrong setting, which a restart does not cure, from a crash. */
export const CONFIG_EXIT_CODE = 78;

/** Every problem of the environment at once, each a sentence that starts with the setting's name. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is wrong:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

const all: readonly Setting<unknown>[] = Object.values(SETTINGS);

/**
 * Reads all settings once. This file is the only reader of the environment; everything else is given the
 * frozen result. An empty value counts as unset, as compose files write it. Throws a ConfigError that lists
 * everything that is wrong: bad values, unreadable secret files, names that nothing reads.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const problems = unknownNames(env);
  const values = Object.entries<Setting<unknown>>(SETTINGS).map(([key, setting]) => {
    try {
      const text = textOf(setting, env) ?? setting.default;
      return [key, text === undefined ? undefined : setting.parse(text)];
    } catch (error) {
      if (!(error instanceof SettingProblem)) throw error;
      problems.push(`${setting.name} ${error.message}`);
      return [key, undefined];
    }
  });
  const config = Object.fromEntries(values) as Config;
  problems.push(...disagreements(config, env), ...objectProblems(env), ...speechProblems(env));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** The settings as lines of an environment file, unset ones commented out, secrets masked: fit for a bug report. */
export function describeConfig(config: Config): string {
  const lines = Object.entries<Setting<unknown>>(SETTINGS).map(([key, setting]) => {
    const value = config[key as keyof Config];
    if (value === undefined) return `# ${setting.name}=`;
    return `${setting.name}=${setting.secret ? "***" : String(value)}`;
  });
  return `${lines.join("\n")}\n`;
}

function textOf(setting: Setting<unknown>, env: NodeJS.ProcessEnv): string | undefined {
  const direct = env[setting.name] || undefined;
  const path = setting.secret ? env[`${setting.name}_FILE`] || undefined : undefined;
  if (path === undefined) return direct;
  if (direct !== undefined) throw new SettingProblem(`and ${setting.name}_FILE are both set; keep one`);
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch (error) {
    throw new SettingProblem(`cannot be read from its file: ${(error as Error).message}`);
  }
}

/** Settings that contradict each other. A value that is invalid by itself is reported elsewhere, and skipped here. */
function disagreements(config: Config, env: NodeJS.ProcessEnv): string[] {
  const second = [
    ...modelProblems(env, "PARLEY_LLM_FALLBACK", { model: config.llmFallbackModel, key: config.llmFallbackApiKey }),
    ...(env.PARLEY_LLM_FALLBACK_BASE_URL && !env.PARLEY_LLM_BASE_URL
      ? ["PARLEY_LLM_FALLBACK_BASE_URL has no effect without PARLEY_LLM_BASE_URL"]
      : []),
  ];
  const others = { DATABASE_REPLICA_URL: config.databaseReplicaUrl, DATABASE_SESSION_URL: config.databaseSessionUrl };
  const beside = Object.entries(others)
    .filter(([, url]) => url !== undefined && config.databaseUrl === undefined)
    .map(([name]) => `${name} has no effect without DATABASE_URL`);
  return [...beside, ...modelProblems(env, "PARLEY_LLM", { model: config.llmModel, key: config.llmApiKey }), ...second];
}

/** An endpoint needs a model, and neither a model nor a key has an effect without an endpoint. */
function modelProblems(
  env: NodeJS.ProcessEnv,
  prefix: string,
  { model, key }: { model: string | undefined; key: string | undefined },
): string[] {
  const url = `${prefix}_BASE_URL`;
  if (env[url]) return env[`${prefix}_MODEL`] ? [] : [`${prefix}_MODEL is needed with ${url}`];
  return [
    ...(model === undefined ? [] : [`${prefix}_MODEL has no effect without ${url}`]),
    ...(key === undefined ? [] : [`${prefix}_API_KEY has no effect without ${url}`]),
  ];
}

/** A misspelt setting would otherwise silently keep its default. */
function unknownNames(env: NodeJS.ProcessEnv): string[] {
  const known = new Set(all.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])));
  return Object.keys(env)
    .filter((name) => name.startsWith("PARLEY_") && !known.has(name) && !isForeign(name, env[name]))
    .sort()
    .map((name) => {
      const [near] = [...known]
        .map((meant) => ({ meant, edits: distance(name, meant) }))
        .sort((a, b) => a.edits - b.edits);
      return `${name} is not a setting${near!.edits > 3 ? "" : `; did you mean ${near!.meant}?`}`;
    });
}

/**
 * Names with our prefix that are not settings: what the test rings pass to the tests, and what Kubernetes
 * puts into every pod next to a Service called "parley" (PARLEY_SERVICE_HOST, PARLEY_PORT=tcp://..., ...).
 */
function isForeign(name: string, value: string | undefined): boolean {
  if (name.startsWith("PARLEY_TEST_") || /^PARLEY_SERVICE_(HOST|PORT)/.test(name)) return true;
  return /^PARLEY_PORT_\d+_(TCP|UDP)/.test(name) || (name === "PARLEY_PORT" && /^(tcp|udp):/.test(value ?? ""));
}

/** Edits (insert, remove, replace a character) between two names. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = above[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      line.push(Math.min(replaced, above[column]! + 1, line[column - 1]! + 1));
    }
    above = line;
  }
  return above[b.length]!;
}

/** Our own environment for a child process, with some settings replaced. */
export const inheritedEnv = (settings: Record<string, string>): NodeJS.ProcessEnv => ({ ...process.env, ...settings });

/** Our environment with no setting but these, for a process that is not to reach what the settings lead to. */
export const bareEnv = (settings: Record<string, string>, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => {
  const ours = new Set(all.flatMap(({ name }) => [name, `${name}_FILE`]));
  const foreign = Object.entries(env).filter(([name]) => !ours.has(name));
  return { ...Object.fromEntries(foreign), ...settings };
};
