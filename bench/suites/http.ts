import { spawn } from "node:child_process";
import { join } from "node:path";
import { load } from "../load.ts";
import { readyLine, startService } from "../service.ts";
import { type Bench, quantile } from "../suite.ts";

const CONNECTIONS = 32;

/** A small authenticated GET, against a bare Fastify route that returns the same JSON. */
export async function run(bench: Bench): Promise<void> {
  const seconds = bench.small ? 0.2 : 5;
  const service = await startService(bench);
  const { body } = await service.get("/v1/me");
  const bare = spawn(process.execPath, [join(import.meta.dirname, "../bare-route.ts"), JSON.stringify(body)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const bareUrl = `${await readyLine(bare)}/v1/me`;
    const ourUrl = `${service.url}/v1/me`;
    const measure = async (url: string, key?: string) => {
      await load({ url, key, connections: CONNECTIONS, seconds: seconds / 4 });
      return load({ url, key, connections: CONNECTIONS, seconds });
    };
    const theirs = await measure(bareUrl);
    const ours = await measure(ourUrl, service.key);
    bench.figure({ name: "GET /v1/me", value: ours.perSecond, unit: "requests/s", baseline: theirs.perSecond });
    bench.figure({
      name: "GET /v1/me p99",
      value: quantile(ours.ms, 0.99),
      unit: "ms",
      baseline: quantile(theirs.ms, 0.99),
    });
  } finally {
    bare.kill("SIGTERM");
    await service.stop();
  }
}
