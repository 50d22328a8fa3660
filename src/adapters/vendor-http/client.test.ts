import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { OutgoingText, SmsBatch } from "#ports/sms-carrier.ts";
import { type ClientSettings, type VendorClient, vendorClient } from "./client.ts";
import { VendorFailure } from "./failure.ts";
import { sendEach } from "./send-each.ts";

const signal = new AbortController().signal;

async function aServer(t: TestContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function aTcpServer(t: TestContext, serve: (socket: Socket) => void) {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    t.after(() => socket.destroy());
    serve(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function aClient(t: TestContext, settings: Partial<ClientSettings> = {}): VendorClient {
  const client = vendorClient({ concurrency: 4, ...settings });
  t.after(() => client.close());
  return client;
}

const post = (url: string) => ({
  method: "POST" as const,
  url,
  headers: {},
  body: { type: "application/x-www-form-urlencoded", text: "Body=hello" },
});

async function failureOf(asked: Promise<unknown>): Promise<VendorFailure> {
  const error = await asked.then(
    () => undefined,
    (thrown) => thrown,
  );
  assert.ok(error instanceof VendorFailure, String(error));
  return error;
}

test("a request that found nobody is certainly not sent: refused, no such host, no TLS there, closed within the handshake", async (t) => {
  const client = aClient(t);
  const closed = await aTcpServer(t, (socket) => socket.destroy());
  const plain = await aTcpServer(t, (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  for (const url of ["http://127.0.0.1:1/", "https://nowhere.invalid/", `https://${plain}`, `https://${closed}`]) {
    const failure = await failureOf(client.once(post(url), signal));
    assert.equal(failure.wasSent, false, `${url}: ${failure.code}`);
    assert.ok(failure.retryAfterMs > 0);
  }
});

test("a handshake that does not come to its end is certainly not sent, and not waited for", async (t) => {
  const silent = await aTcpServer(t, () => {});
  const failure = await failureOf(aClient(t, { limits: { connectMs: 30 } }).once(post(`https://${silent}`), signal));
  assert.deepEqual([failure.code, failure.wasSent], ["connect_timeout", false]);
});

test("what fails once bytes have left may be with the vendor: a reset, a close, half an answer, an answer that never comes, one without an end", async (t) => {
  const begins: Record<string, (socket: Socket) => void> = {
    ECONNRESET: (socket) => socket.resetAndDestroy(),
    closed: (socket) => socket.end(),
    half: (socket) => void socket.end("HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"),
    malformed: (socket) => void socket.end("no answer\r\n\r\n"),
    timeout: () => {},
    too_large: (socket) => void socket.write(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(5_000)}`),
  };
  const client = aClient(t, { limits: { answerMs: 200, maxBytes: 4_096 } });
  for (const [name, begin] of Object.entries(begins)) {
    const at = await aTcpServer(t, (socket) => socket.once("data", () => begin(socket)));
    const failure = await failureOf(client.once(post(`http://${at}`), signal));
    assert.equal(failure.wasSent, true, `${name}: ${failure.code}`);
    if (name === name.toLowerCase() && name.includes("_")) assert.equal(failure.code, name);
  }
});

test("after a 429 nothing of the account leaves until Retry-After is over", async (t) => {
  let [now, requests] = [0, 0];
  const url = await aServer(t, (_, response) => {
    requests++;
    if (requests === 1) response.writeHead(429, { "retry-after": "7" }).end("{}");
    else response.writeHead(201).end("{}");
  });
  const client = aClient(t, { now: () => now });
  assert.deepEqual(
    { ...(await failureOf(client.once(post(url), signal))) },
    {
      name: "VendorFailure",
      code: "429",
      wasSent: false,
      retryAfterMs: 7_000,
    },
  );
  now = 6_000;
  assert.equal((await failureOf(client.once(post(url), signal))).retryAfterMs, 1_000);
  assert.equal(requests, 1);
  now = 7_000;
  assert.equal((await client.once(post(url), signal)).status, 201);
});

test("a 429 costs those that wait no connection", async (t) => {
  let [requests, connections] = [0, 0];
  const server = createServer((_, response) => {
    requests++;
    response.writeHead(429, { "retry-after": "7" }).end("{}");
  }).listen(0, "127.0.0.1");
  server.on("connection", () => connections++);
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const client = aClient(t, { concurrency: 2 });
  const failures = await Promise.all(Array.from({ length: 100 }, () => failureOf(client.once(post(url), signal))));
  assert.deepEqual([...new Set(failures.map(({ code, wasSent }) => `${code} ${wasSent}`))], ["429 false"]);
  assert.deepEqual([requests, connections], [2, 2]);
});

test("an account rests five minutes at most, whatever Retry-After says", async (t) => {
  const url = await aServer(t, (_, response) => response.writeHead(429, { "retry-after": "86400" }).end("{}"));
  const client = aClient(t, { now: () => 0 });
  for (let i = 0; i < 2; i++) assert.equal((await failureOf(client.once(post(url), signal))).retryAfterMs, 300_000);
});

test("a vendor that fails again and again is left alone, and tried by one request after that", async (t) => {
  let [now, requests, status] = [0, 0, 500];
  const url = await aServer(t, (_, response) => {
    requests++;
    response.writeHead(status).end();
  });
  const client = aClient(t, { now: () => now, breaker: { failures: 3, restMs: 1_000 } });
  for (let i = 0; i < 3; i++) assert.equal((await client.once(post(url), signal)).status, 500);
  const failure = await failureOf(client.once(post(url), signal));
  assert.deepEqual([failure.code, failure.wasSent, failure.retryAfterMs, requests], ["left_alone", false, 1_000, 3]);
  [now, status] = [1_000, 201];
  assert.equal((await client.once(post(url), signal)).status, 201);
  assert.equal((await client.once(post(url), signal)).status, 201);
});

test("so many requests at a time and no more, and who waits is asked again when its turn has come", async (t) => {
  const open: ServerResponse[] = [];
  let most = 0;
  const url = await aServer(t, (_, response) => {
    open.push(response);
    most = Math.max(most, open.length);
  });
  const client = aClient(t, { concurrency: 2 });
  let mayLeave = true;
  const asked = [1, 2, 3, 4].map(() => client.once(post(url), signal, () => mayLeave));
  while (open.length < 2) await setImmediate();
  open.pop()!.writeHead(201).end();
  while (open.length < 2) await setImmediate();
  mayLeave = false;
  for (const response of open.splice(0)) response.writeHead(201).end();
  const results = await Promise.allSettled(asked);
  assert.deepEqual(
    results.map((result) => (result.status === "fulfilled" ? result.value.status : result.reason.code)),
    [201, 201, 201, "held_up"],
  );
  assert.equal(most, 2);
});

test("an abort takes what waits and what is under way: the one certainly not sent, the other perhaps", async (t) => {
  const arrived = Promise.withResolvers<void>();
  const url = await aServer(t, () => arrived.resolve());
  const controller = new AbortController();
  const client = aClient(t, { concurrency: 1 });
  const asked = [1, 2].map(() => failureOf(client.once(post(url), controller.signal)));
  await arrived.promise;
  controller.abort();
  const failures = await Promise.all(asked);
  assert.deepEqual(
    failures.map(({ code, wasSent }) => [code, wasSent]),
    [
      ["aborted", true],
      ["aborted", false],
    ],
  );
  assert.equal((await failureOf(client.once(post(url), controller.signal))).wasSent, false);
});

test("only what is safe to repeat is repeated", async (t) => {
  let requests = 0;
  const url = await aServer(t, (request, response) => {
    requests++;
    if (requests % 3 === 0) response.writeHead(200).end(request.method);
    else if (requests % 3 === 1) response.writeHead(503).end();
    else request.socket.resetAndDestroy();
  });
  const client = aClient(t, { random: () => 0 });
  const answer = await client.safely({ method: "GET", url, headers: {} }, signal);
  assert.deepEqual([answer.status, answer.text, requests], [200, "GET", 3]);
  assert.equal((await client.once(post(url), signal)).status, 503);
  assert.equal(requests, 4);
});

test("a redirect is an answer as any other: the key goes nowhere else", async (t) => {
  const url = await aServer(t, (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
  assert.equal((await aClient(t).once(post(url), signal)).status, 302);
});

test("once a text of a batch is barred, those that wait are not tried; what cannot leave in time is held up", async () => {
  const text = (ref: string) => ({ ref }) as unknown as OutgoingText;
  const batch = {
    texts: ["first", "late", "second"].map(text),
    mayLeave: (one?: OutgoingText) => String(one?.ref) !== "late",
  } as unknown as SmsBatch;
  const tried: string[] = [];
  const outcomes = await sendEach(batch, async ({ ref }, mayLeave) => {
    await setImmediate();
    if (!mayLeave()) throw new VendorFailure("held_up", { wasSent: false });
    tried.push(ref);
    return { outcome: "barred", because: "carrier_key_refused", code: "20003" };
  });
  assert.deepEqual(tried, ["first"]);
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ["barred", "barred", "barred"],
  );
  const [own] = await sendEach({ ...batch, texts: [text("late")] }, async (_, mayLeave) => {
    assert.equal(mayLeave(), false);
    throw new VendorFailure("held_up", { wasSent: false });
  });
  assert.deepEqual(own, { outcome: "not_sent", code: "held_up", retryAfterMs: 0 });
});

test("a fault of the adapter's own leaves a text uncertain", async () => {
  const batch = { texts: [{}], mayLeave: () => true } as unknown as SmsBatch;
  const outcomes = await sendEach(batch, () => Promise.reject(new TypeError("x is not a function")));
  assert.deepEqual(outcomes, [{ outcome: "uncertain", code: "adapter_failed" }]);
});
