import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../test/support/source/source.ts";

const START_WITHIN_MS = 120_000;
const LOADED_WITHIN_MS = 300_000;
const ASK_EVERY_MS = 500;
/** As on a newcomer's machine. Where pocketsphinx is installed, the calls of the demo's running campaign keep a core at work beside the page that is measured. */
const WITHOUT_RECOGNIZER = { PARLEY_OFFLINE_SPEECH_TO_TEXT_CALLS: "0" };

export type Service = {
  url: string;
  setupLink: string;
  /** An answer of the API, with the key that the service has made. */
  get: (path: string) => Promise<Record<string, unknown>>;
  stop: () => Promise<void>;
};

/** Starts `parley start --demo` in an empty folder, on a database and a port of its own, and waits until the demo is loaded. */
export async function startDemo(folder: string): Promise<Service> {
  mkdirSync(folder, { recursive: true });
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PARLEY_|DATABASE_URL|NODE_OPTIONS)/.test(name));
  const child = spawn(process.execPath, [join(root, "bin/parley.ts"), "start", "--demo"], {
    env: {
      ...Object.fromEntries(inherited),
      PORT: "0",
      PARLEY_DATA_DIR: folder,
      PARLEY_LOG_LEVEL: "warn",
      ...WITHOUT_RECOGNIZER,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await ended;
  };
  const find = async (what: RegExp): Promise<string> => {
    const begun = Date.now();
    for (;;) {
      const [, found] = what.exec(said) ?? [];
      if (found !== undefined) return found;
      if (child.exitCode !== null || Date.now() - begun > START_WITHIN_MS) {
        throw new Error(`The service did not start:\n${said}`);
      }
      await sleep(ASK_EVERY_MS);
    }
  };
  try {
    const url = (await find(/is ready: (\S+)/)).replace(/\/$/, "");
    const setupLink = await find(/(http\S+\/console\/setup#token=\S+)/);
    const key = readFileSync(join(folder, "first-api-key"), "utf8").trim();
    const get = async (path: string) => {
      const answer = await fetch(`${url}${path}`, { headers: { "x-api-key": key } });
      if (!answer.ok) throw new Error(`${answer.status}: GET ${path}`);
      return (await answer.json()) as Record<string, unknown>;
    };
    await loaded(get);
    return { url, setupLink, get, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function loaded(get: Service["get"]): Promise<void> {
  const begun = Date.now();
  for (;;) {
    const { demo } = (await get("/v1/demo")) as { demo: { status: string; problem: string | null } };
    if (demo.status === "loaded") return;
    if (demo.status === "failed" || Date.now() - begun > LOADED_WITHIN_MS) {
      throw new Error(`The demo data was not loaded: ${demo.problem ?? demo.status}`);
    }
    await sleep(ASK_EVERY_MS);
  }
}
