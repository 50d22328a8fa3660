import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Owner } from "./processes.ts";

export type Balancer = {
  url: string;
  /** The addresses of the instances there are. Those that say they are ready are given connections, in turn. */
  instances: Set<string>;
  /** Whether it gives this one connections now. */
  uses(url: string): boolean;
};

const LOOK_EVERY_MS = 100;

/**
 * A balancer of connections before several instances of the api: it asks each for /readyz, and connects to the next when
 * one does not take the connection. What has begun stays where it is. It does not interpret HTTP beyond that.
 */
export async function startBalancer(owner: Owner): Promise<Balancer> {
  const instances = new Set<string>();
  const ready = new Set<string>();
  const over = new AbortController();
  // One look after the other: a slow answer from before must not overrule a newer one.
  const look = async () => {
    while (!over.signal.aborted) {
      for (const url of ready) if (!instances.has(url)) ready.delete(url);
      for (const url of instances) {
        const answer = await fetch(`${url}/readyz`, { headers: { connection: "close" } }).catch(() => undefined);
        await answer?.arrayBuffer().catch(() => {});
        if (answer?.status === 200) ready.add(url);
        else ready.delete(url);
      }
      await pause(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => {});
    }
  };
  look();
  const open = new Set<Socket>();
  let turn = 0;

  const upstream = async (): Promise<Socket | undefined> => {
    const candidates = [...ready];
    for (let i = 0; i < candidates.length; i++) {
      const { hostname, port } = new URL(candidates[turn++ % candidates.length]!);
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      const connected = await once(socket, "connect").catch(() => undefined);
      if (connected) return socket;
    }
    return undefined;
  };
  const server = createServer({ pauseOnConnect: true, noDelay: true }, async (client) => {
    const theirs = await upstream();
    if (!theirs) {
      client.destroy();
      return;
    }
    for (const [from, to] of [
      [client, theirs],
      [theirs, client],
    ] as const) {
      open.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        open.delete(from);
        to.end();
      });
      from.pipe(to);
    }
    client.resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  owner.after(() => {
    over.abort();
    server.close();
    for (const socket of open) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    instances,
    uses: (url) => ready.has(url),
  };
}
