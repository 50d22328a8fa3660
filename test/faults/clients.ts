import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { BOOTSTRAP_KEY, until } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import type { Owner } from "#test/support/processes/processes.ts";

type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

/** Asks by one of the connections that it keeps, as a real client does. Fails when there is no answer. */
export function asker(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const ask = (path: string, body?: unknown) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { "x-api-key": BOOTSTRAP_KEY, ...(body ? { "content-type": "application/json" } : {}) };
      const clientRequest = request(url + path, { agent, method: body ? "POST" : "GET", headers }, (answer) => {
        let said = "";
        answer.setEncoding("utf8").on("data", (part: string) => {
          said += part;
        });
        answer.on("end", () => resolve({ status: answer.statusCode!, headers: answer.headers, body: said }));
        answer.on("error", reject);
      });
      clientRequest.on("error", reject);
      clientRequest.end(body ? JSON.stringify(body) : undefined);
    });
  return { ask, end: () => agent.destroy() };
}

export const isOverloaded = ({ status, body }: Pick<Answer, "status" | "body">): boolean =>
  status === 503 && JSON.parse(body).code === "overloaded";
/** A machine that is late for this long has not been made so by what happens to its instances. */
const TIMES_TURNED_AWAY = 5;
const ASK_EVERY_MS = 25;

/** One sends texts of a handset, the others read. */
const PATHS = ["/v1/simulator/handsets/%2B12125550199/messages", "/v1/organizations", "/v1/me"];

/** What clients saw: every request that failed, and how many were refused by a machine that was late, and asked again. */
export type Seen = { asked: number; turnedAway: number; failures: string[] };

/** Clients of a balancer who go on asking until they are stopped, or their owner ends. */
export async function startClients(owner: Owner, url: string): Promise<{ seen: Seen; stop(): Promise<void> }> {
  const seen: Seen = { asked: 0, turnedAway: 0, failures: [] };
  const { ask, end } = asker(url);
  /** Repeats a refused request after its Retry-After: a machine that is late refuses requests, whatever is done to its instances. */
  const askAgainWhenRefused = async (path: string, body?: unknown): Promise<Answer> => {
    for (let times = 0; ; times++) {
      const answer = await ask(path, body);
      if (!isOverloaded(answer) || times === TIMES_TURNED_AWAY) return answer;
      seen.turnedAway++;
      await pause(Number(answer.headers["retry-after"]) * 1_000);
    }
  };
  await until("the balancer has an instance", async () => (await ask("/v1/me").catch(() => undefined))?.status === 200);
  const over = new AbortController();
  const clients = PATHS.map(async (path, i) => {
    while (!over.signal.aborted) {
      const body = i === 0 ? { to: SENDER, text: `Hello ${seen.asked}` } : undefined;
      const answer = await askAgainWhenRefused(path, body).catch((error: Error) => error);
      seen.asked++;
      if (answer instanceof Error) seen.failures.push(`${path}: ${answer.message}`);
      else if (answer.status >= 300) seen.failures.push(`${path}: ${answer.status} ${answer.body}`);
      await pause(ASK_EVERY_MS);
    }
  });
  owner.after(() => over.abort());
  return {
    seen,
    async stop() {
      over.abort();
      await Promise.all(clients);
      end();
    },
  };
}
