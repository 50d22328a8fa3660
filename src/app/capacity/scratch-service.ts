import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { isGone } from "#app/process/child-end.ts";
import { bareEnv } from "#app/settings/config.ts";

/** A large body is read, checked and stored before it is answered. */
const ANSWER_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 30_000;
/** Of what it printed, for whoever has to find out why it ended. */
const KEPT_OUTPUT = 2_000;

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever JSON came.
type Body = any;

/** API and worker in processes of their own, as in production, on a database that is thrown away. Fails by one sentence where one of them does. */
export type ScratchService = {
  get(path: string): Promise<Body>;
  post(path: string, body: object): Promise<Body>;
  sendFile(path: string, file: Uint8Array<ArrayBuffer>, fields: Record<string, string>): Promise<Body>;
  stop(): Promise<void>;
};

export async function startScratchService(parts: {
  databaseUrl: string;
  dataDir: string;
  signal: AbortSignal;
}): Promise<ScratchService> {
  const key = `pk_test_${randomBytes(24).toString("hex")}`;
  const child = fork(new URL("../../../bin/parley.ts", import.meta.url), ["start"], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: bareEnv({
      DATABASE_URL: parts.databaseUrl,
      PORT: "0",
      PARLEY_ROLES: "api,worker",
      PARLEY_DATA_DIR: parts.dataDir,
      PARLEY_BOOTSTRAP_API_KEY: key,
      PARLEY_LOG_LEVEL: "error",
      // What would hold back is what is measured.
      PARLEY_FIRST_HOUR_TEXTS: "0",
      PARLEY_RATE_LIMIT: "0",
      PARLEY_OVERLOAD_MS: "0",
    }),
  });
  const url = await readyAt(child, parts.signal);
  const ask = async (path: string, request: RequestInit): Promise<Body> => {
    const signal = AbortSignal.any([parts.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    const headers = { ...request.headers, "x-api-key": key };
    const response = await fetch(url + path, { ...request, headers, signal });
    const body: Body = await response.json();
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${body.error ?? ""}`);
    return body;
  };
  return {
    get: (path) => ask(path, {}),
    post: (path, body) =>
      ask(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    sendFile(path, file, fields) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append("file", new Blob([file]), "people.csv");
      return ask(path, { method: "POST", body: form });
    },
    async stop() {
      if (isGone(child)) return;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      const patience = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
      await gone;
      clearTimeout(patience);
    },
  };
}

/** The address that the API says it is ready at. Its output is read on: who writes to a closed pipe dies. */
function readyAt(child: ChildProcess, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = "";
  const read = (chunk: Buffer) => {
    said = (said + chunk).slice(-KEPT_OUTPUT);
    const [, url] = /Parley is ready: (\S+)/.exec(said) ?? [];
    if (url) resolve(url);
  };
  const stop = () => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  child.stdout!.on("data", read);
  child.stderr!.on("data", read);
  child.once("close", () => reject(new Error(`The service to measure has ended: ${said.trim()}`)));
  return promise.finally(() => signal.removeEventListener("abort", stop));
}
