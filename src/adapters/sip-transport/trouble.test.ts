import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { createSipAgent } from "#adapters/sip-calls/agent.ts";
import { selfSigned } from "#test/support/calls/certificate.ts";
import { sipProvider } from "#test/support/calls/sip-provider.ts";
import { handClock } from "#test/support/time/hand-clock.ts";
import { until as untilSo } from "#test/support/time/until.ts";
import type { Trunk } from "./trunk.ts";

const HOST = "127.0.0.1";
const until = <T>(what: string, look: () => T | undefined | false) => untilSo(what, async () => look(), 10_000);
/** Longer than any certificate of today's lasts, and over long ago. */
const [VALID, OVER] = [[2020, 2049] as const, [2019, 2020] as const];

/** What is reported of a trunk, in order: "" where nothing is wrong. */
async function reported(t: TestContext, more: Partial<Trunk>) {
  const clock = handClock();
  const agent = await createSipAgent({ trunks: [], bind: { address: HOST, udpPort: 0 }, clock, log() {} });
  t.after(() => {
    const closed = agent.close();
    clock.pass(60_000);
    return closed;
  });
  const said: string[] = [];
  agent.put(
    {
      ...{ name: "own", host: HOST, transport: "udp", allowedAddresses: [], srtp: "off", register: false },
      ...{ keepAliveSeconds: 30, maxCalls: 10, callsPerSecond: 10, ...more },
    },
    { problem: (sentence) => void said.push(sentence ?? "") },
  );
  return { agent, clock, said };
}

/** A server over TLS that answers every request by 200. */
async function secureServer(t: TestContext, pair: { cert: string; key: string }): Promise<number> {
  const server = createTlsServer(pair, (socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const kept = bytes.toString().match(/^(?:Via|From|To|Call-ID|CSeq):.*\r\n/gm);
      if (kept) socket.write(`SIP/2.0 200 OK\r\n${kept.join("")}Content-Length: 0\r\n\r\n`);
    });
  });
  server.on("tlsClientError", () => {});
  server.listen(0, HOST);
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test("a trunk whose certificate is not what it should be says so in one sentence, and one that is right says that nothing is wrong", async (t) => {
  const [right, over, another] = [
    selfSigned({ names: ["IP:127.0.0.1"], years: VALID }),
    selfSigned({ names: ["IP:127.0.0.1"], years: OVER }),
    selfSigned({ names: ["IP:127.0.0.9", "DNS:sip.example.com"], years: VALID }),
  ];
  const secure = { transport: "tls" as const };
  for (const [pair, ca, sentence] of [
    [right, right.cert, ""],
    [over, over.cert, "The TLS certificate of 127.0.0.1 has expired"],
    [another, another.cert, "The TLS certificate of the server is for another name than 127.0.0.1"],
    [right, undefined, "The TLS certificate of 127.0.0.1 is signed by no authority that is known here"],
  ] as const) {
    const port = await secureServer(t, pair);
    const { said, agent } = await reported(t, { ...secure, port, ...(ca === undefined ? {} : { tls: { ca } }) });
    assert.equal(await until("it is reported", () => said.length > 0 && said[0]!.concat(".")), `${sentence}.`);
    assert.equal(agent.room("own") > 0, sentence === "");
  }
});

test("a trunk that is not there, or does not speak TLS, says so", async (t) => {
  const plain = createServer((socket) => socket.on("error", () => {}).end("SIP/2.0 400 Bad Request\r\n\r\n"));
  plain.listen(0, HOST);
  await once(plain, "listening");
  t.after(() => plain.close());
  const { port } = plain.address() as AddressInfo;
  const deaf = await reported(t, { port, transport: "tls" });
  assert.equal(await until("it is reported", () => deaf.said[0]), "127.0.0.1 does not speak TLS at that port");

  const away = await reported(t, { port: 1, transport: "tcp" });
  assert.equal(await until("it is reported", () => away.said[0]), "127.0.0.1 cannot be reached (ECONNREFUSED)");

  const silent = await sipProvider(t, () => undefined);
  const { said, clock } = await reported(t, { port: silent.port });
  await until("it is asked", () => silent.asked.length > 0);
  clock.pass(32_000);
  assert.deepEqual(said, ["127.0.0.1 does not answer"]);
});

test("a registration that is refused, or is over and not answered, is reported, and that it is back too", async (t) => {
  // A NUL is what no database takes.
  let answers: readonly string[] | undefined = ["403 For\0bidden"];
  const registrar = await sipProvider(t, (method) => (method === "REGISTER" ? answers : ["200 OK"]));
  const { said, clock, agent } = await reported(t, {
    ...{ port: registrar.port, register: true, username: "acme", password: "x" },
    keepAliveSeconds: 0,
  });
  await until("it is refused", () => said.includes("The registration is refused (403 Forbidden)"));
  assert.equal(agent.trunkState("own").isRegistered, false);

  const refused = registrar.asked.length;
  agent.registerAnew("own");
  clock.pass(5_000);
  assert.equal(registrar.asked.length, refused, "it is asked no sooner for that");

  answers = ["200 OK"];
  clock.pass(25_000);
  await until("it is back", () => said.at(-1) === "");
  assert.equal(agent.trunkState("own").isRegistered, true);

  answers = undefined;
  const asked = registrar.asked.length;
  clock.pass(300_000);
  await until("it is asked anew", () => registrar.asked.length > asked);
  // Granted for 600 s: it counts until then.
  clock.pass(100_000);
  assert.equal(agent.trunkState("own").isRegistered, true);
  for (let i = 0; i < 10; i++) {
    clock.pass(32_000);
    await new Promise(setImmediate);
  }
  await until("it is reported", () => said.at(-1) !== "");
  assert.equal(said.at(-1), "127.0.0.1 does not answer");
  assert.equal(agent.trunkState("own").isRegistered, false);
});

test("a carrier's words are kept without what no database takes, and no longer than a sentence or two", async (t) => {
  const busy = await sipProvider(t, () => ["403 No\0", `Reason: Q.850;cause=21;text="${"a\0".repeat(400)}"`]);
  const { agent, clock } = await reported(t, { port: busy.port, keepAliveSeconds: 0 });
  const ended = Promise.withResolvers<string>();
  agent.call(
    "own",
    { from: "+12125550100", to: "+12125550101", callId: "c1", local: { address: HOST, port: 4_000, codecs: ["PCMU"] } },
    { ended: ({ text }) => ended.resolve(text) },
  );
  const text = await ended.promise;
  assert.match(text, /^No; Q\.850;cause=21;text="a+$/);
  assert.equal(text.length, 300);
  clock.pass(32_000);
});
