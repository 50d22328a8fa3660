import assert from "node:assert/strict";
import { test } from "node:test";
import { smppGateway, textOf } from "#test/support/carriers/smpp/gateway.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { until } from "#test/support/time/until.ts";
import { startKannel } from "./kannel.ts";
import { missing } from "./programs.ts";

const skip = missing("bearerbox", "smsbox");

test("Debian's Kannel, as a client of the stand-in that our sessions are tested against, sends, is paused, and gets texts and receipts", {
  skip,
}, async (t) => {
  const gateway = await smppGateway(t, { receipts: { state: "DELIVRD" }, status: (n) => (n === 0 ? 0x58 : 0) });
  const kannel = await startKannel(t, aFolder("peer"), { gateway: gateway.port });
  await until("Kannel is bound", async () => gateway.binds.length > 0, 30_000);
  assert.deepEqual(gateway.binds[0], { command: "bind_transceiver", system_id: "kannel", version: 0x34 });
  await kannel.listen();
  const sendText = (text: string, coding = "0") =>
    kannel.send({ from: "13105550100", to: "13105550123", text, coding });
  await until("Kannel takes a text", async () => (await sendText("Hello")) === 202, 30_000);
  await until("it is submitted, after it was throttled", async () => gateway.submitted.length === 1, 30_000);
  assert.equal(textOf(gateway.submitted[0]!), "Hello");
  await sendText("0123456789".repeat(20));
  await until("both parts are there", async () => gateway.submitted.length === 3, 30_000);
  assert.equal(gateway.submitted.slice(1).map(textOf).join(""), "0123456789".repeat(20));
  assert.match(gateway.submitted[1]!.header.toString("hex"), /^0003..0201$/);
  await sendText("жук", "2");
  await until("it is there in UCS-2", async () => gateway.submitted.length === 4, 30_000);
  assert.equal(textOf(gateway.submitted[3]!), "жук");
  const status = await gateway.deliver({
    source_addr: "13105550123",
    source_addr_ton: 1,
    destination_addr: "13105550100",
    destination_addr_ton: 1,
    short_message: "hi",
  });
  assert.equal(status, 0);
  await until(
    "Kannel has answered it",
    async () => gateway.submitted.some((text) => textOf(text) === "echo hi"),
    30_000,
  );
  await until("all receipts were taken", async () => gateway.answers.length >= 4, 30_000);
  assert.ok(gateway.answers.every((answer) => answer === 0));
  await until("Kannel asks whether we are there", async () => gateway.enquiries() > 0, 30_000);
});
