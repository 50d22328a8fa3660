import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";

/**
 * What a network does to connections, those that are open and those to come. Each of the two directions of a connection
 * is delayed and cut by itself.
 */
export type Faults = {
  /** Each piece arrives this much later, and up to `jitterMs` more. Order is kept, as TCP keeps it. */
  latencyMs?: number;
  jitterMs?: number;
  /** The share of pieces that are lost once and sent again, which holds up what follows: 0 to 1. */
  loss?: number;
  /** Nothing arrives any more, nothing is closed: a cable pulled, a firewall that forgot. */
  partition?: boolean;
  /** From the server nothing arrives, to it everything: a half-open connection. */
  deafClient?: boolean;
  /** The connection is reset once this many bytes have come from the server. */
  resetAfterBytes?: number;
  /** One byte of what comes from the server is turned over once this many have come. */
  corruptAfterBytes?: number;
  /** What comes from the server arrives in pieces of at most so many bytes, each in its own turn of the event loop. */
  pieceBytes?: number;
  /** A side's end reaches the other this much later. */
  slowCloseMs?: number;
};

export type Proxy = {
  /** The address with the proxy's host and port. */
  url(of: string): string;
  /** From now on; replaces what was set before. `{}` heals. */
  set(faults: Faults): void;
  /** Resets every open connection, as a rebooted router does. */
  reset(): void;
  /** Nothing more arrives over the connections that are open, ever, nor are they closed: a firewall that forgot them. Others are well. */
  forget(): void;
  /** Connections that are open now. */
  open(): number;
};

/** TCP's first wait for an acknowledgement. */
const RETRANSMIT_MS = 200;

/** Starts a proxy of a TCP server that does its clients harm. Ends with the test. */
export async function startProxy(
  t: TestContext,
  target: { host: string; port: number },
  random: () => number = Math.random,
): Promise<Proxy> {
  let faults: Faults = {};
  const pairs = new Set<readonly [Socket, Socket]>();
  const forgotten = new WeakSet<Socket>();
  const healed = new Set<() => void>();
  const reset = () => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
  };

  /** Resolves once a piece may go on. */
  const passage = async (fromServer: boolean): Promise<void> => {
    const { latencyMs = 0, jitterMs = 0, loss = 0 } = faults;
    const delayMs = latencyMs + random() * jitterMs + (random() < loss ? RETRANSMIT_MS * (1 + random()) : 0);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    while (faults.partition || (faults.deafClient && fromServer)) {
      await new Promise<void>((resolve) => healed.add(resolve));
    }
  };

  function pump(from: Socket, to: Socket, fromServer: boolean): void {
    let bytes = 0;
    let queue: Promise<unknown> = Promise.resolve();
    // Each piece waits from when it came, not from when the one before it left: latency is no limit of throughput.
    const send = (passed: Promise<void>, act: () => unknown) => {
      queue = queue.then(() => passed).then(() => (forgotten.has(from) ? undefined : act()));
    };
    from.on("data", (piece: Buffer) => {
      send(passage(fromServer), async () => {
        const before = bytes;
        bytes += piece.length;
        const { resetAfterBytes, corruptAfterBytes, pieceBytes } = faults;
        if (fromServer && resetAfterBytes !== undefined && bytes >= resetAfterBytes) {
          to.resetAndDestroy();
          from.resetAndDestroy();
          return;
        }
        if (fromServer && corruptAfterBytes !== undefined && before <= corruptAfterBytes && bytes > corruptAfterBytes) {
          const at = corruptAfterBytes - before;
          piece[at] = piece[at]! ^ 0xff;
        }
        const most = (fromServer && pieceBytes) || piece.length;
        for (let at = 0; at < piece.length && !to.destroyed; at += most) {
          to.write(piece.subarray(at, at + most));
          if (most < piece.length) await setImmediate();
        }
      });
    });
    from.on("end", () =>
      send(passage(fromServer), () => {
        setTimeout(() => to.end(), faults.slowCloseMs ?? 0);
      }),
    );
    from.on("error", () => send(passage(fromServer), () => to.destroy()));
    from.on("close", () => send(passage(fromServer), () => to.destroy()));
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const upstream = connect({ ...target, allowHalfOpen: true, noDelay: true });
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const socket of pair) socket.on("close", () => client.destroyed && upstream.destroyed && pairs.delete(pair));
    pump(client, upstream, false);
    pump(upstream, client, true);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const set = (next: Faults) => {
    faults = next;
    for (const go of [...healed]) go();
    healed.clear();
  };
  t.after(() => {
    set({});
    reset();
    server.close();
  });
  return {
    url(of) {
      const url = new URL(of);
      url.hostname = "127.0.0.1";
      url.port = String(port);
      return url.href;
    },
    set,
    reset,
    forget() {
      for (const pair of pairs) for (const socket of pair) forgotten.add(socket);
    },
    open: () => pairs.size,
  };
}

/** Where a database's address leads to. */
export function targetOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
