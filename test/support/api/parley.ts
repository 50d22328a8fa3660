import type { TestContext } from "node:test";
import { wire } from "#app/context.ts";
import { startApi } from "#app/roles/api.ts";
import { bootstrap } from "#app/roles/keys.ts";
import { startMedia } from "#app/roles/media.ts";
import { startWorker } from "#app/roles/worker.ts";
import { type Config, readConfig } from "#app/settings/config.ts";
import { createDatabase } from "#test/support/database/database.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { textOf } from "./answers.ts";

export { until } from "#test/support/time/until.ts";

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever JSON came; tests assert what it should be.
type Body = any;
export type Answer = { status: number; headers: Headers; body: Body };
type More = { key?: string | null; headers?: Record<string, string> };

/** A running service of the test's own, and a client for it. */
export type Parley = {
  url: string;
  /** A test key with every scope. */
  key: string;
  databaseUrl: string;
  config: Config;
  /** Stops api and worker before the test ends; the database stays. */
  stopAll(): Promise<void>;
  request(method: string, path: string, body?: unknown, more?: More): Promise<Answer>;
  get(path: string, more?: More): Promise<Answer>;
  post(path: string, body?: unknown, more?: More): Promise<Answer>;
  put(path: string, body?: unknown, more?: More): Promise<Answer>;
  patch(path: string, body?: unknown, more?: More): Promise<Answer>;
  delete(path: string, more?: More): Promise<Answer>;
};

export const BOOTSTRAP_KEY = "pk_test_bootstrap_0123456789abcdef0123456789abcdef";

/** Starts api and worker, or other roles, in this process, on a database of the test's own. Stopped when the test ends. */
export async function startParley(
  t: TestContext,
  env: Record<string, string> = {},
  roles: readonly ("api" | "worker" | "media")[] = ["api", "worker"],
): Promise<Parley> {
  const dataDir = aFolder("test");
  const { url: databaseUrl, drop } = await createDatabase();
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PORT: "0",
    PARLEY_DATA_DIR: dataDir,
    PARLEY_BOOTSTRAP_API_KEY: BOOTSTRAP_KEY,
    PARLEY_LOG_LEVEL: "error",
    PARLEY_FIRST_HOUR_TEXTS: "0",
    PARLEY_SWEEP_INTERVAL_MS: "1000",
    PARLEY_CALL_GRACE_MS: "0",
    PARLEY_SIMULATOR_CALLS: "text",
    PARLEY_RATE_LIMIT: "0",
    PARLEY_AUTH_FAILURE_LIMIT: "0",
    PARLEY_OVERLOAD_MS: "0",
    // A test in the same process may compute for longer, and would be reported by the watchdog.
    PARLEY_STANDSTILL_MS: "0",
    ...env,
  });
  const boot = wire(config, databaseUrl, "boot");
  await bootstrap(boot.ctx, config);
  await boot.close();
  const api = await startApi(config, databaseUrl);
  const worker = roles.includes("worker") ? await startWorker(config, databaseUrl) : undefined;
  const media = roles.includes("media") ? await startMedia(config, databaseUrl) : undefined;
  let stopped: Promise<void> | undefined;
  const stopAll = () => {
    stopped ??= api.stop().then(() => Promise.all([worker?.stop(), media?.stop()]).then(() => {}));
    return stopped;
  };
  t.after(async () => {
    await stopAll();
    await drop();
  });
  return { ...client(api.url, config.bootstrapApiKey!), databaseUrl, config, stopAll };
}

/** A client of a service at an address. */
export function client(url: string, key: string): Omit<Parley, "databaseUrl" | "config" | "stopAll"> {
  const request = async (method: string, path: string, body?: unknown, more: More = {}): Promise<Answer> => {
    const raw = typeof body === "string" || body instanceof Uint8Array;
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(more.key === null ? {} : { "x-api-key": more.key ?? key }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...more.headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await textOf(response);
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
  };
  return {
    url,
    key,
    request,
    get: (path, more) => request("GET", path, undefined, more),
    post: (path, body, more) => request("POST", path, body, more),
    put: (path, body, more) => request("PUT", path, body, more),
    patch: (path, body, more) => request("PATCH", path, body, more),
    delete: (path, more) => request("DELETE", path, undefined, more),
  };
}
