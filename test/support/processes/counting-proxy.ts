import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

export type CountingProxy = {
  url: string;
  /** Connections that are open now over which this was asked for; a stream is the last on its connection. */
  open(): number;
};

/** A proxy of a service that counts what is asked for by a request line beginning so. Ends with the test. */
export async function startCountingProxy(t: TestContext, target: string, line: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  const asking = new Set<Socket>();
  const all = new Set<Socket>();
  const server = createServer((client) => {
    const service = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      all.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        all.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
    client.on("data", (bytes) => {
      if (bytes.toString("latin1").startsWith(line)) asking.add(client);
    });
    client.on("close", () => asking.delete(client));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of all) socket.destroy();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open: () => asking.size };
}
