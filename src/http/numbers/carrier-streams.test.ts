import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import websocket from "@fastify/websocket";
import Fastify from "fastify";
import { WebSocket } from "ws";
import { Refusals } from "#http/access/rate-limit.ts";
import { socketOptions } from "#http/server/spoken.ts";
import type { Context, Log } from "#operations/context.ts";
import type { Webhook } from "#operations/numbers/read-webhook.ts";
import { carrierStreams } from "./carrier-streams.ts";
import { waitingStreams } from "./waiting-streams.ts";

const SIGNED = { "x-twilio-signature": "right" };

async function served(t: TestContext, perMinute: number) {
  const app = Fastify();
  t.after(() => app.close());
  await app.register(websocket, socketOptions({} as Log));
  const counts = { taken: 0, refused: 0, limited: 0 };
  await app.register(async (scope) =>
    carrierStreams(scope, {} as Context, {
      counts,
      open: { count: 0 },
      refusals: new Refusals(perMinute),
      read: async (_, { headers }) => (headers["x-twilio-signature"] === "right" ? ({} as Webhook) : undefined),
      requestOf: ({ headers }) => ({
        ...{ path: "stream", url: "http://parley.example", body: new Uint8Array(), now: new Date() },
        headers: headers as Record<string, string>,
      }),
    }),
  );
  await app.listen({ port: 0, host: "127.0.0.1" });
  const url = `ws://127.0.0.1:${(app.server.address() as AddressInfo).port}/carrier/one/stream`;
  const open = async (headers: Record<string, string> = {}) => {
    const socket = new WebSocket(url, { headers });
    const closed = new Promise<number>((resolve) => socket.on("close", resolve));
    const status = await new Promise<number>((resolve) => {
      socket.on("error", () => {});
      socket.on("open", () => resolve(101));
      socket.on("unexpected-response", (_, { statusCode }) => resolve(statusCode!));
    });
    t.after(() => socket.terminate());
    return { socket, closed, status };
  };
  return { open, counts };
}

test("a stranger who keeps streams open has ten of them, and what a carrier has signed is let in beside them", async (t) => {
  const { open, counts } = await served(t, 60);
  const them = await Promise.all(Array.from({ length: 40 }, () => open()));
  const ended = new Set<unknown>();
  for (const one of them) void one.closed.then(() => ended.add(one));
  while (counts.limited < 30) await Promise.race(them.filter((one) => !ended.has(one)).map(({ closed }) => closed));
  assert.equal((await open(SIGNED)).status, 101);
  assert.equal((await open({ "x-twilio-signature": "wrong" })).status, 403);
  assert.equal(counts.limited, 30);
});

test("what a stream costs is counted when it begins: whoever has used up what he may be refused is not let in", async (t) => {
  const { open } = await served(t, 3);
  const them = await Promise.all([open(), open(), open()]);
  assert.deepEqual(
    them.map(({ status }) => status),
    [101, 101, 101],
  );
  assert.equal((await open()).status, 403);
  assert.equal((await open(SIGNED)).status, 101);
});

test("of a stream whose call is not found little is read, however long its message is", async (t) => {
  const { open, counts } = await served(t, 60);
  const { socket, closed } = await open();
  for (let n = 0; n < 100; n++) socket.send("x".repeat(1_000), { fin: false });
  assert.equal(await closed, 1006);
  assert.equal(counts.refused, 1);
});

test("places are kept by network and account, and what is signed has its own", () => {
  const waiting = waitingStreams();
  const stranger = (n: number) => ({ ip: `192.0.2.${n}`, carrier: "one", isSigned: false });
  const taken = Array.from({ length: 50 }, (_, n) => waiting.take(stranger(n % 5)));
  assert.ok(taken.every((leave) => leave !== undefined));
  assert.equal(waiting.take(stranger(0)), undefined);
  assert.equal(waiting.take(stranger(99)), undefined);
  assert.ok(waiting.take({ ...stranger(99), carrier: "two" }));
  assert.ok(waiting.take({ ...stranger(0), isSigned: true }));
  taken[0]!();
  assert.ok(waiting.take(stranger(0)));
});
