import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

type Owner = { after(close: () => unknown): void };

/**
 * What goes wrong with a request. `refused`: the connection is reset before the store has any of it. `half`: the store has half of its body, then both
 * connections are reset. `unanswered`: the store has done it, and no answer comes. `error`: the store says 500. `denied`: it says 403. `slow`: all of it is
 * well, two seconds later.
 */
export type StoreFault = "refused" | "half" | "unanswered" | "error" | "denied" | "slow";

export type UnreliableStore = {
  url: string;
  /** What happens to each request from now on, by a draw; undefined: nothing. */
  set(fault: (request: IncomingMessage) => StoreFault | undefined): void;
  /** How many requests came, and what was done to them. */
  counts(): { requests: number; faults: Partial<Record<StoreFault, number>> };
};

const SLOW_MS = 2_000;

/** HTTP before a store, request by request. Ends with the test. */
export async function beforeStore(t: Owner, store: string): Promise<UnreliableStore> {
  const target = new URL(store);
  let faultOf: (request: IncomingMessage) => StoreFault | undefined = () => undefined;
  let requests = 0;
  const faults: Partial<Record<StoreFault, number>> = {};

  async function pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    requests++;
    const fault = faultOf(from);
    if (fault !== undefined) faults[fault] = (faults[fault] ?? 0) + 1;
    if (fault === "refused") return from.socket.resetAndDestroy() as never;
    const body = Buffer.concat(await from.toArray());
    if (fault === "error" || fault === "denied") return answerError(to, fault);
    if (fault === "slow") await pause(SLOW_MS);
    const onward = request({
      host: target.hostname,
      port: target.port,
      method: from.method!,
      path: from.url!,
      headers: from.headers,
      agent: false,
    });
    onward.on("error", () => from.socket.resetAndDestroy());
    if (fault === "half") {
      onward.write(body.subarray(0, body.length >> 1), () => {
        onward.destroy();
        from.socket.resetAndDestroy();
      });
      return;
    }
    onward.end(body);
    const [answer] = (await once(onward, "response")) as [IncomingMessage];
    if (fault === "unanswered") {
      await answer.toArray();
      from.socket.resetAndDestroy();
      return;
    }
    to.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(to);
  }

  const server = createServer((from, to) => {
    pass(from, to).catch(() => from.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(next) {
      faultOf = next;
    },
    counts: () => ({ requests, faults: { ...faults } }),
  };
}

function answerError(to: ServerResponse, fault: "error" | "denied"): void {
  const [status, code] = fault === "error" ? [500, "InternalError"] : [403, "AccessDenied"];
  to.writeHead(status!, { "content-type": "application/xml" });
  to.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>made up</Message></Error>`);
}

/** One of these a third of the time, by a random number of 0 to 1. */
export function thirdOfTheTime(random: () => number, kinds: readonly StoreFault[]): () => StoreFault | undefined {
  return () => (random() < 1 / 3 ? kinds[Math.floor(random() * kinds.length)] : undefined);
}
