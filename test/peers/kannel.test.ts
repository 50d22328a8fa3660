import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { smppGateway, textOf } from "#test/support/carriers/smpp/gateway.ts";
import { until } from "#test/support/time/until.ts";
import { folder, freePort, missing, start } from "./programs.ts";

const skip = missing("bearerbox", "smsbox");

test("Debian's Kannel, as a client of the stand-in that our sessions are tested against, sends, is paused, and gets texts and receipts", {
  skip,
}, async (t) => {
  const gateway = await smppGateway(t, { receipts: { state: "DELIVRD" }, status: (n) => (n === 0 ? 0x58 : 0) });
  const where = folder(t);
  const port = await freePort(4);
  const [admin, box, http] = [port, port + 1, port + 2];
  const config = join(where, "kannel.conf");
  writeFileSync(
    config,
    [
      `group = core\nadmin-port = ${admin}\nsmsbox-port = ${box}\nadmin-password = parley\nbox-allow-ip = 127.0.0.1`,
      `admin-interface = 127.0.0.1\nlog-level = 1\nsms-resend-freq = 1\nlog-file = ${join(where, "core.log")}`,
      `group = smsc\nsmsc = smpp\nsmsc-id = stand-in\nhost = 127.0.0.1\nport = ${gateway.port}\ntransceiver-mode = true`,
      'smsc-username = kannel\nsmsc-password = secret\nsystem-type = ""\nsource-addr-autodetect = true\nenquire-link-interval = 1',
      `group = smsbox\nbearerbox-host = 127.0.0.1\nsendsms-port = ${http}\nsendsms-interface = 127.0.0.1\nlog-level = 1`,
      "group = sendsms-user\nusername = parley\npassword = parley\nconcatenation = true\nmax-messages = 5",
      `group = sms-service\nkeyword = default\ntext = "echo %a"\nomit-empty = true`,
    ]
      .join("\n")
      .replaceAll("\ngroup", "\n\ngroup"),
  );
  start(t, "bearerbox", [config], where);
  await until("Kannel is bound", async () => gateway.binds.length > 0, 30_000);
  assert.deepEqual(gateway.binds[0], { command: "bind_transceiver", system_id: "kannel", version: 0x34 });
  start(t, "smsbox", [config], where);
  const sendText = (text: string, coding = "0") => {
    const query = new URLSearchParams({
      username: "parley",
      password: "parley",
      from: "13105550100",
      to: "13105550123",
      text,
      coding,
      charset: "UTF-8",
      "dlr-mask": "31",
    });
    return fetch(`http://127.0.0.1:${http}/cgi-bin/sendsms?${query}`).then(
      (answer) => answer.status,
      () => 0,
    );
  };
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
