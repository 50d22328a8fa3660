import { setTimeout as pause } from "node:timers/promises";
import { TALKER } from "./data.ts";
import { DEMO_CAMPAIGNS } from "./steps.ts";

type Progress = { status: string; step: string | null; done: number; total: number; problem: string | null };

const LOOK_EVERY_MS = 300;

/**
 * Has demo data loaded through the API, as a user would, and waits for it, printing each step. Returns the pages to look at, or
 * throws with what went wrong. Loading twice changes nothing.
 */
export async function loadDemo(url: string, key: string, say: (line: string) => void): Promise<string[]> {
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
  let shown: string | null = null;
  for (let demo = await call("POST"); demo.status !== "loaded"; demo = await call("GET")) {
    if (demo.status !== "loading") throw new Error(`The demo could not be loaded: ${demo.problem ?? demo.status}`);
    if (demo.step !== shown) say(`Demo data, ${demo.done + 1} of ${demo.total}: ${demo.step}`);
    shown = demo.step;
    await pause(LOOK_EVERY_MS);
  }
  const watch = (what: string, path: string) => `${what}: curl -H 'X-API-Key: ${key}' ${url}${path}`;
  const { running, calls } = DEMO_CAMPAIGNS;
  return [
    "The demo campaigns are running on simulated phones: they text 161 and call 79, and 60 are texted in a week.",
    watch("Watch it", `/v1/campaigns/${running}`),
    watch("A conversation", `/v1/sms/threads/${encodeURIComponent(`${TALKER}_${running}`)}`),
    watch("Its calls", `/v1/voice/campaigns/${calls}/calls`),
    watch("Remove it", "/v1/demo -X DELETE"),
  ];
}
