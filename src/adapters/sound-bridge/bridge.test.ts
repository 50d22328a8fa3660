import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import type { SoundLine } from "#ports/sound-bridge.ts";
import { openSoundBridge } from "./bridge.ts";
import { callNodes } from "./call-nodes.ts";
import { joinSound } from "./line.ts";

const signer = (key: string) => (text: string) => createHmac("sha256", key).update(text).digest();
const join = joinSound(signer("ours"));
const CALL = "0199a000-0000-7000-8000-000000000001";
/** What is sealed is to be read back under the same name alone. */
const sealer = {
  seal: (text: string, under: string) => Buffer.from(`${under}\n${text}`).toString("base64url"),
  open(sealed: string, under: string) {
    const [name, text] = Buffer.from(sealed, "base64url").toString().split("\n");
    if (name !== under) throw new Error("sealed under another name");
    return text!;
  },
};

async function aBridge(t: TestContext, host = "127.0.0.1") {
  const bridge = await openSoundBridge({ host, port: 0, sign: signer("ours"), sealer });
  t.after(() => bridge.close());
  return bridge;
}

/** The next thing that comes of a line: its sound as a text, or that it was closed. */
function next(line: SoundLine): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  line.listen({ sound: (frames) => resolve(Buffer.from(frames).toString()), closed: () => resolve("closed") });
  return promise;
}

test("sound goes both ways, to the first who comes for a call and to nobody else", async (t) => {
  const bridge = await aBridge(t);
  const { taken } = bridge.offer("sim_17");
  const page = await join(bridge.address, "sim_17");
  const call = await taken;
  const [atPage, atCall] = [next(page), next(call)];
  page.send(Buffer.from("hello"));
  call.send(Buffer.from("who is there"));
  assert.deepEqual(await Promise.all([atPage, atCall]), ["who is there", "hello"]);
  await assert.rejects(join(bridge.address, "sim_17"), /404/);
});

test("a call is had by nodes of the service alone, and only while it is offered", async (t) => {
  const bridge = await aBridge(t);
  const { withdraw } = bridge.offer("sim_17");
  await assert.rejects(joinSound(signer("theirs"))(bridge.address, "sim_17"), /404/);
  await assert.rejects(join(bridge.address, "sim_18"), /404/);
  withdraw();
  await assert.rejects(join(bridge.address, "sim_17"), /404/);
});

test("who asks for nothing that there is, and is gone in mid-answer, does no harm", async (t) => {
  const bridge = await aBridge(t);
  const port = Number(bridge.address.split(":").at(-1));
  const head = "GET /calls/sim_9 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      await once(socket, "connect");
      socket.write(head);
      socket.resetAndDestroy();
      await once(socket, "close");
    }),
  );
  const staying = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  staying.write(head);
  const [answer] = await once(staying, "data");
  assert.match(String(answer), /^HTTP\/1\.1 404/);
  // One that leaves its side open holds up no end of ours.
  await bridge.close();
  staying.destroy();
});

test("either end hears of it when the other is gone, also who listens later", async (t) => {
  const bridge = await aBridge(t);
  const first = bridge.offer("sim_1");
  const page = await join(bridge.address, "sim_1");
  const call = await first.taken;
  const atCall = next(call);
  page.close();
  assert.equal(await atCall, "closed");
  assert.equal(await next(call), "closed");

  const second = bridge.offer("sim_2");
  const atPage = next(await join(bridge.address, "sim_2"));
  await second.taken;
  await bridge.close();
  assert.equal(await atPage, "closed");
  await assert.rejects(join(bridge.address, "sim_2"), /ECONNREFUSED/);
});

test("it is reached by IPv6 too", async (t) => {
  const bridge = await aBridge(t, "::1").catch(() => t.skip("this machine has no IPv6"));
  if (!bridge) return;
  const { taken } = bridge.offer("sim_1");
  const page = await join(bridge.address, "sim_1");
  page.close();
  assert.equal(await next(await taken), "closed");
});

test("a carrier's stream is joined once, by its ticket, and its first messages are kept until somebody listens", async (t) => {
  const bridge = await aBridge(t);
  const nodes = callNodes(signer("ours"), sealer);
  const { ticket, taken } = bridge.expect("carrier_1", CALL);
  for (const [carrier, shown] of [
    ["carrier_2", ticket],
    ["carrier_1", "no-ticket"],
    ["carrier_1", ""],
  ] as const)
    assert.equal(await nodes.join(carrier, shown), undefined);
  assert.equal(await callNodes(signer("theirs"), sealer).join("carrier_1", ticket), undefined);
  const theirs = await nodes.join("carrier_1", ticket);
  theirs!.send("first");
  const ours = await taken;
  const said = await new Promise((resolve) => ours.listen({ text: resolve, closed: () => resolve("closed") }));
  assert.equal(said, "first");
  assert.equal(await nodes.join("carrier_1", ticket), undefined);
});

test("what a carrier reports of a call, and a call that it brings, reach the node, and nobody else's do", async (t) => {
  const bridge = await aBridge(t);
  const heard: unknown[] = [];
  const of = { tenantId: CALL, carrier: "carrier_1" };
  const report = { ref: CALL, carrierId: "CA1", status: "ringing" };
  const call = { carrierId: "CA2", from: "+12125550100", to: "+12125550101" };
  const nodes = callNodes(signer("ours"), sealer);
  assert.equal(await nodes.report(bridge.address, of, report), false);
  bridge.serve({
    report(...news) {
      heard.push(news);
      return true;
    },
    async bring(...brought) {
      heard.push(brought);
      return { ticket: "one" };
    },
  });
  assert.equal(await nodes.report(bridge.address, of, report), true);
  assert.deepEqual(await nodes.bring(bridge.address, of, call), { ticket: "one" });
  assert.deepEqual(heard, [
    [of, report],
    [of, call],
  ]);
  assert.equal(await callNodes(signer("theirs"), sealer).report(bridge.address, of, report), false);
  assert.equal(await nodes.bring("127.0.0.1:9", of, call), undefined);
  assert.equal((await fetch(`http://${bridge.address}/call-news`, { method: "POST", body: "{" })).status, 404);
  assert.equal(heard.length, 2);
});
