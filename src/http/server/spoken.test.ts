import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import websocket from "@fastify/websocket";
import Fastify from "fastify";
import type { WebSocket } from "ws";
import type { Log } from "#operations/context.ts";
import { socketOptions } from "./spoken.ts";

const UPGRADE = [
  "GET /talk HTTP/1.1",
  "Host: localhost",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "\r\n",
].join("\r\n");

/** The start of a masked binary frame (RFC 6455, 5.2) of a length that is never sent whole. */
const frameOf = (bytes: number) => {
  const head = Buffer.alloc(14);
  head.writeUInt8(0x82, 0);
  head.writeUInt8(0x80 | 127, 1);
  head.writeBigUInt64BE(BigInt(bytes), 2);
  return head;
};

async function served(t: TestContext, serve: (socket: WebSocket) => void) {
  const app = Fastify();
  const errors: string[] = [];
  const log = { error: (_: object, message: string) => errors.push(message) } as unknown as Log;
  t.after(() => app.close());
  await app.register(websocket, socketOptions(log));
  app.get("/talk", { websocket: true }, serve);
  await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  t.after(() => socket.destroy());
  await once(socket, "connect");
  return { socket, errors };
}

/** The code of the close frame at the end of what a server sent. */
const closeCodeOf = (sent: Buffer) => (sent.at(-4) === 0x88 ? sent.readUInt16BE(sent.length - 2) : undefined);

test("whoever sends too much and reads only afterwards still reads that it was too much", async (t) => {
  const { socket, errors } = await served(t, () => {});
  socket.write(UPGRADE);
  socket.write(frameOf(3 * 1024 * 1024));
  for (let n = 0; n < 32; n++) {
    await new Promise((sent) => socket.write(Buffer.alloc(64 * 1024), sent));
  }
  socket.end();
  assert.equal(closeCodeOf(await buffer(socket)), 1009);
  assert.deepEqual(errors, []);
});

test("a socket that cannot be served is closed as an internal error, which is logged", async (t) => {
  const { socket, errors } = await served(t, () => {
    throw new Error("no");
  });
  socket.write(UPGRADE);
  const [answer] = await once(socket, "data");
  const rest = buffer(socket);
  socket.end();
  assert.equal(closeCodeOf(Buffer.concat([answer, await rest])), 1011);
  assert.deepEqual(errors, ["a socket could not be served"]);
});
