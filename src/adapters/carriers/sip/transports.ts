import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, isIPv6, type Server, type Socket, connect as tcpConnect } from "node:net";
import { createServer as createTlsServer, connect as tlsConnect } from "node:tls";
import type { Clock, Log } from "./clock.ts";
import { streamFramer } from "./framer.ts";
import { hostOf } from "./uri.ts";

export type Protocol = "udp" | "tcp" | "tls";

/** How a TLS connection to a trunk is made. */
export type TlsClient = {
  /** The name that its certificate must have. */
  name: string;
  /** PEM; the system's authorities when absent. */
  ca?: string;
  /** False takes any certificate: encrypted, but to whomever. */
  verify: boolean;
};

/** Where a request goes next. */
export type Hop = { protocol: Protocol; address: string; port: number; tls?: TlsClient };

/** Where a message came from, and the way back. */
export type Source = { protocol: Protocol; address: string; port: number; reply(bytes: Buffer): void };

export type Bind = {
  /** Address to listen at; `publicAddress` is what others are told, behind a NAT. */
  address: string;
  publicAddress?: string;
  /** 0 chooses a free one. A protocol without a port is not spoken to us; trunks may still be called over TCP and TLS. */
  udpPort?: number;
  tcpPort?: number;
  tls?: { port: number; cert: string; key: string };
};

export type Transports = {
  send(hop: Hop, bytes: Buffer, failed: (error: Error) => void): void;
  /** Host and port for a Via and a Contact. */
  sentBy(protocol: Protocol): string;
  port(protocol: Protocol): number | undefined;
  close(): Promise<void>;
};

/** A peer that has not taken this much is not reading any more. */
const MAX_UNSENT_BYTES = 1 << 20;
const MAX_CONNECTIONS = 2_000;
const CONNECT_WITHIN_MS = 5_000;
/** An inbound connection has to say something of sense this soon, and later now and then. */
const FIRST_MESSAGE_WITHIN_MS = 10_000;
const IDLE_MS = 15 * 60_000;
/** RFC 5626, 4.4.1, takes 120 s at most for a flow over TCP; routers on the way forget sooner. */
const PING_MS = 30_000;

type Connection = { socket: Socket; protocol: Protocol; address: string; port: number };

export async function openTransports(it: {
  bind: Bind;
  clock: Clock;
  log: Log;
  received(bytes: Buffer, source: Source): void;
}): Promise<Transports> {
  const { bind, clock, log } = it;
  const connections = new Map<string, Connection>();
  const servers: Server[] = [];
  let isClosed = false;

  const udp = bind.udpPort === undefined ? undefined : await openUdp(bind.address, bind.udpPort);
  udp?.on("error", (error) => log("warn", "the UDP socket failed", { error: error.message }));
  udp?.on("message", (bytes, { address, port }) => {
    // A keep-alive of line ends, or nothing.
    if (bytes.length < 16) return;
    const reply = (answer: Buffer) => {
      if (!isClosed) udp.send(answer, port, address);
    };
    it.received(bytes, { protocol: "udp", address, port, reply });
  });

  async function listen(server: Server, protocol: Protocol, port: number): Promise<number> {
    server.maxConnections = MAX_CONNECTIONS;
    server.on("error", (error) => log("warn", "a listening socket failed", { protocol, error: error.message }));
    servers.push(server);
    server.listen(port, bind.address);
    await once(server, "listening");
    return (server.address() as { port: number }).port;
  }
  const accept = (protocol: Protocol) => (socket: Socket) => {
    const { remoteAddress: address, remotePort: port } = socket;
    if (address === undefined || port === undefined || isClosed) socket.destroy();
    else follow({ socket, protocol, address, port }, `${protocol} ${address} ${port}`, FIRST_MESSAGE_WITHIN_MS);
  };
  const tcpPort =
    bind.tcpPort === undefined ? undefined : await listen(createServer(accept("tcp")), "tcp", bind.tcpPort);
  const tlsPort =
    bind.tls === undefined
      ? undefined
      : await listen(createTlsServer({ cert: bind.tls.cert, key: bind.tls.key }, accept("tls")), "tls", bind.tls.port);

  function follow(connection: Connection, key: string, firstWithinMs: number): Connection {
    const { socket, protocol, address, port } = connection;
    connections.set(key, connection);
    const source: Source = { protocol, address, port, reply: (bytes) => write(connection, bytes, () => {}) };
    const framer = streamFramer({
      message(bytes) {
        stopFirst();
        it.received(bytes, source);
      },
      ping: () => write(connection, Buffer.from("\r\n"), () => {}),
    });
    const stopFirst = firstWithinMs === 0 ? () => {} : clock.after(firstWithinMs, () => socket.destroy());
    const stopPing = pingEvery(connection);
    socket.setNoDelay(true);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on("data", (chunk) => {
      if (!framer.push(chunk)) socket.destroy();
    });
    socket.on("error", (error) => log("debug", "a connection failed", { protocol, address, error: error.message }));
    socket.on("close", () => {
      stopFirst();
      stopPing();
      if (connections.get(key) === connection) connections.delete(key);
    });
    return connection;
  }

  function pingEvery(connection: Connection): () => void {
    let stop = clock.after(PING_MS, function again() {
      write(connection, Buffer.from("\r\n\r\n"), () => {});
      stop = clock.after(PING_MS, again);
    });
    return () => stop();
  }

  function write({ socket }: Connection, bytes: Buffer, failed: (error: Error) => void): void {
    if (socket.destroyed) {
      failed(new Error("the connection is closed"));
      return;
    }
    socket.write(bytes, (error) => {
      if (error) failed(error);
    });
    if (socket.writableLength > MAX_UNSENT_BYTES) socket.destroy(new Error("the peer does not read"));
  }

  function connectionTo(hop: Hop): Connection {
    const where = `${hop.protocol} ${hop.address} ${hop.port}`;
    // One that was made without a check of the certificate is not good enough for a trunk that wants it.
    const key = hop.tls === undefined ? where : `${where} ${hop.tls.name} ${hop.tls.verify} ${hop.tls.ca ?? ""}`;
    const open = connections.get(key);
    if (open && !open.socket.destroyed) return open;
    const socket = hop.protocol === "tls" ? connectTls(hop) : tcpConnect(hop.port, hop.address);
    const stop = clock.after(CONNECT_WITHIN_MS, () => socket.destroy(new Error("the connection was not made in time")));
    socket.once(hop.protocol === "tls" ? "secureConnect" : "connect", stop);
    socket.once("close", stop);
    return follow({ socket, protocol: hop.protocol, address: hop.address, port: hop.port }, key, 0);
  }

  function sentBy(protocol: Protocol): string {
    const host = hostOf(bind.publicAddress ?? bind.address);
    const port = portOf(protocol) ?? portOf("udp") ?? portOf("tcp") ?? portOf("tls");
    return port === undefined ? host : `${host}:${port}`;
  }

  function portOf(protocol: Protocol): number | undefined {
    if (protocol === "udp") return udp?.address().port;
    return protocol === "tcp" ? tcpPort : tlsPort;
  }

  return {
    send(hop, bytes, failed) {
      if (isClosed) return;
      if (hop.protocol !== "udp") write(connectionTo(hop), bytes, failed);
      else if (udp === undefined) queueMicrotask(() => failed(new Error("no UDP socket is open")));
      else udp.send(bytes, hop.port, hop.address, (error) => error && failed(error));
    },
    sentBy,
    port: portOf,
    async close() {
      isClosed = true;
      for (const { socket } of connections.values()) socket.destroy();
      const gone = servers.map((server) => new Promise((done) => server.close(done)));
      if (udp) gone.push(new Promise((done) => udp.close(() => done(undefined))));
      await Promise.all(gone);
    },
  };
}

async function openUdp(address: string, port: number): Promise<UdpSocket> {
  const socket = createSocket({ type: isIPv6(address) ? "udp6" : "udp4", recvBufferSize: 1 << 20 });
  socket.bind(port, address);
  await once(socket, "listening");
  return socket;
}

function connectTls(hop: Hop): Socket {
  const tls = hop.tls ?? { name: hop.address, verify: true };
  const isName = /[a-z]/i.test(tls.name) && !tls.name.includes(":");
  return tlsConnect({
    host: hop.address,
    port: hop.port,
    servername: isName ? tls.name : undefined,
    ca: tls.ca,
    rejectUnauthorized: tls.verify,
  });
}
