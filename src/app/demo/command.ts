import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DEMO_CAMPAIGNS, TALKER } from "./data.ts";

type Progress = { status: string; step: string | null; done: number; total: number; problem: string | null };

const LOOK_EVERY_MS = 300;

/** `shown` stands for the key in what is printed: a configured key is a secret. */
export type DemoKey = { key: string; shown: string };

/** The test key that `--demo` loads demo data with, or a sentence that says why there is none and how to get the data. */
export function demoKey(
  { url, apiKey }: { url: string | undefined; apiKey: { text: string; isNew: boolean } | undefined },
  { bootstrapApiKey: configured, dataDir }: { bootstrapApiKey?: string | undefined; dataDir: string },
): DemoKey | string {
  if (url === undefined) return "No demo data was loaded, as this process has no API: POST /v1/demo loads it.";
  if (apiKey !== undefined) {
    return { key: apiKey.text, shown: apiKey.isNew ? apiKey.text : `$(cat ${join(dataDir, "first-api-key")})` };
  }
  if (configured?.startsWith("pk_test_")) return { key: configured, shown: "$PARLEY_BOOTSTRAP_API_KEY" };
  const why =
    configured === undefined
      ? `the database has a tenant already, but ${dataDir} has no first-api-key`
      : "PARLEY_BOOTSTRAP_API_KEY is a live key";
  return `No demo data was loaded, as ${why}: POST ${url}/v1/demo with a test key loads it.`;
}

/**
 * Has demo data loaded through the API, as a user would, and waits for it, printing each step. Returns what to look at, or
 * throws with what went wrong. Loading twice changes nothing.
 */
export async function loadDemo(url: string, { key, shown }: DemoKey, say: (line: string) => void): Promise<string[]> {
  const call = async (method: "GET" | "POST"): Promise<Progress> => {
    const response = await fetch(`${url}/v1/demo`, {
      method,
      headers: { "x-api-key": key, "content-type": "application/json" },
      ...(method === "POST" ? { body: "{}" } : {}),
    });
    const body = (await response.json()) as { demo?: Progress; error?: string };
    if (!body.demo) throw new Error(`The demo could not be loaded: ${body.error}`);
    return body.demo;
  };
  let demo = await call("POST");
  const wasLoaded = demo.status === "loaded";
  for (let step: string | null = null; demo.status !== "loaded"; demo = await call("GET")) {
    if (demo.status !== "loading") throw new Error(`The demo could not be loaded: ${demo.problem ?? demo.status}`);
    if (demo.step !== step) say(`Demo data, ${demo.done + 1} of ${demo.total}: ${demo.step}`);
    step = demo.step;
    await pause(LOOK_EVERY_MS);
  }
  // In double quotes a shell puts the configured key in.
  const watch = (what: string, path: string) => `${what}: curl -H "X-API-Key: ${shown}" ${url}${path}`;
  const { running, spring, heard } = DEMO_CAMPAIGNS;
  return [
    wasLoaded
      ? "The demo data has been there since an earlier start, and nothing was added to it."
      : "Three weeks of two organizations are loaded, and a campaign is running: 25 simulated phones are being texted and 5 called.",
    watch("Watch it", `/v1/campaigns/${running}`),
    watch("A conversation", `/v1/sms/threads/${encodeURIComponent(`${TALKER}_${spring}`)}`),
    watch("Calls to hear", `/v1/voice/campaigns/${heard}/calls`),
    watch("Remove it", "/v1/demo -X DELETE"),
  ];
}
