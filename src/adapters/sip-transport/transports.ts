import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, isIPv6, type Server, type Socket, connect as tcpConnect } from "node:net";
import { createServer as createTlsServer, connect as tlsConnect } from "node:tls";
import { streamFramer } from "#adapters/sip-messages/framer.ts";
import { MAX_MESSAGE_BYTES, MAX_STRANGERS_BYTES } from "#adapters/sip-messages/parse-message.ts";
import { hostOf } from "#adapters/sip-messages/uri.ts";
import type { DropCounter } from "#domain/system/network-drop.ts";
import type { Clock, Log } from "./clock.ts";
import { type Door, MAX_CONNECTIONS, type Visit } from "./door.ts";

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
export type Source = {
  protocol: Protocol;
  address: string;
  port: number;
  reply(bytes: Buffer): void;
  /** What came could only be said by somebody known: its connection may stay, its address is listened to. */
  prove(): void;
};

export type Bind = {
  /** Address to listen at; `publicAddress` is the address announced to others, behind a NAT. */
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
const CONNECT_WITHIN_MS = 5_000;
/** From its first byte an inbound connection has so long to be one of TLS, and so long to prove that it is somebody's, whatever it says. */
const HANDSHAKE_WITHIN_MS = 5_000;
const PROVE_WITHIN_MS = 10_000;
/** Nothing came for so long: more than half a session's interval, after which one side has to say that it is there. */
const IDLE_MS = 20 * 60_000;
/** RFC 5626, 4.4.1, takes 120 s at most for a flow over TCP; routers on the way forget sooner. */
const PING_MS = 30_000;

type Connection = { socket: Socket; protocol: Protocol; address: string; port: number };

export async function openTransports(parts: {
  bind: Bind;
  clock: Clock;
  log: Log;
  door: Door;
  drops: DropCounter;
  received(bytes: Buffer, source: Source): void;
}): Promise<Transports> {
  const { bind, clock, log, door, drops } = parts;
  const connections = new Map<string, Connection>();
  /** Of inbound connections, by where they come from. */
  const visits = new Map<string, Visit>();
  const servers: Server[] = [];
  let isClosed = false;

  const udp = bind.udpPort === undefined ? undefined : await openUdp(bind.address, bind.udpPort);
  udp?.on("error", (error) => log("warn", "the UDP socket failed", { error: error.message }));
  udp?.on("message", (bytes, { address, port }) => {
    if (!door.mayRead(bytes.length, address)) return;
    const reply = (answer: Buffer) => {
      if (!isClosed) udp.send(answer, port, address);
    };
    parts.received(bytes, { protocol: "udp", address, port, reply, prove: () => door.proved(address) });
  });

  async function listen(server: Server, protocol: Protocol, port: number): Promise<number> {
    server.maxConnections = MAX_CONNECTIONS;
    server.on("error", (error) => log("warn", "a listening socket failed", { protocol, error: error.message }));
    server.on("drop", () => drops.count("connection"));
    // Before any handshake: one that is not finished is counted, and its time runs.
    server.on("connection", (socket: Socket) => admit(socket, protocol));
    servers.push(server);
    server.listen(port, bind.address);
    await once(server, "listening");
    return (server.address() as { port: number }).port;
  }
  const placeOf = (protocol: Protocol, { remoteAddress, remotePort }: Socket) =>
    `${protocol} ${remoteAddress} ${remotePort}`;

  function admit(socket: Socket, protocol: Protocol): void {
    const { remoteAddress: address } = socket;
    const visit = address === undefined || isClosed ? undefined : door.enter(address);
    if (address === undefined || visit === undefined) {
      socket.destroy();
      return;
    }
    const place = placeOf(protocol, socket);
    visits.set(place, visit);
    const stop = clock.after(PROVE_WITHIN_MS, () => {
      if (visit.isProven()) return;
      drops.count("connection");
      socket.destroy();
    });
    socket.once("close", () => {
      stop();
      visit.leave();
      if (visits.get(place) === visit) visits.delete(place);
    });
    if (protocol === "tcp") accept(protocol)(socket);
  }

  const accept = (protocol: Protocol) => (socket: Socket) => {
    const { remoteAddress: address, remotePort: port } = socket;
    const place = placeOf(protocol, socket);
    const visit = visits.get(place);
    if (address === undefined || port === undefined || visit === undefined || isClosed) socket.destroy();
    else follow({ socket, protocol, address, port }, place, visit);
  };
  const tcpPort = bind.tcpPort === undefined ? undefined : await listen(createServer(), "tcp", bind.tcpPort);
  const tlsPort =
    bind.tls === undefined
      ? undefined
      : await listen(
          createTlsServer(
            { cert: bind.tls.cert, key: bind.tls.key, handshakeTimeout: HANDSHAKE_WITHIN_MS },
            accept("tls"),
          ).on("tlsClientError", (_error, socket) => socket.destroy()),
          "tls",
          bind.tls.port,
        );

  /** `visit` is of one that was opened to us. */
  function follow(connection: Connection, key: string, visit?: Visit): Connection {
    const { socket, protocol, address, port } = connection;
    connections.set(key, connection);
    const prove = () => {
      visit?.prove();
      door.proved(address);
    };
    const source: Source = { protocol, address, port, reply: (bytes) => write(connection, bytes, () => {}), prove };
    const framer = streamFramer(
      {
        message: (bytes) => parts.received(bytes, source),
        // It is answered by what is wrong with it: a body of no length.
        unframed: (head) => parts.received(head, source),
        ping: () => write(connection, Buffer.from("\r\n"), () => {}),
      },
      () => (visit === undefined || visit.isProven() ? MAX_MESSAGE_BYTES : MAX_STRANGERS_BYTES),
    );
    let heardAt = clock.now();
    /** It cannot be followed any more, and is closed once what was said to it has left. */
    let isLost = false;
    const stopPing = pingEvery(() => {
      // Our own pings keep no connection open.
      if (clock.now() - heardAt > IDLE_MS) socket.destroy();
      else write(connection, Buffer.from("\r\n\r\n"), () => {});
    });
    socket.setNoDelay(true);
    socket.on("data", (chunk) => {
      heardAt = clock.now();
      if (isLost || framer.push(chunk)) return;
      isLost = true;
      drops.count("malformed");
      socket.destroySoon();
    });
    socket.on("error", (error) => log("debug", "a connection failed", { protocol, address, error: error.message }));
    socket.on("close", () => {
      stopPing();
      if (connections.get(key) === connection) connections.delete(key);
    });
    return connection;
  }

  function pingEvery(ping: () => void): () => void {
    let stop = clock.after(PING_MS, function again() {
      ping();
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
      // What ended the connection says more than that it has ended: a certificate, for one.
      if (error) failed(socket.errored ?? error);
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
    return follow({ socket, protocol: hop.protocol, address: hop.address, port: hop.port }, key);
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
      door.sentTo(hop.address);
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
