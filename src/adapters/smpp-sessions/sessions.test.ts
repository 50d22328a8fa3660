import assert from "node:assert/strict";
import { test } from "node:test";
import { tenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import { aText, SENDER, send, smppAccount } from "#test/support/carriers/smpp/account.ts";
import { smppGateway, textOf } from "#test/support/carriers/smpp/gateway.ts";
import { until } from "#test/support/time/until.ts";
import { validity } from "./carrier.ts";
import { readSettings } from "./settings.ts";

test("a text is submitted with its numbers, its reference and its period, and accepted with the gateway's id", async (t) => {
  const gateway = await smppGateway(t);
  const account = await smppAccount(t, gateway.port);
  const text = { ...aText("5 € {now}"), validUntil: new Date(Date.now() + 90 * 60_000 + 500) };
  assert.deepEqual(await send(account, [text]), [{ outcome: "accepted", carrierId: "1000" }]);
  const [one] = gateway.submitted;
  assert.deepEqual([one!.from, one!.to, textOf(one!), one!.dataCoding], ["13105550100", "13105550123", "5 € {now}", 0]);
  assert.equal(one!.reference, Number.parseInt(text.ref.slice(-4), 16));
  assert.equal(one!.registered, 1);
  assert.deepEqual(gateway.binds, [{ command: "bind_transceiver", system_id: "parley", version: 0x34 }]);
  assert.equal(validity(new Date(0), new Date(90_061_000)), "000001010101000R");
});

test("an account may bind by two links, with version 5.0, and unbinds each when it is closed", async (t) => {
  const gateway = await smppGateway(t);
  const account = await smppAccount(t, gateway.port, { bind: "tx_rx", version: "5.0" });
  assert.deepEqual(gateway.binds.map(({ command, version }) => `${command} ${version}`).sort(), [
    "bind_receiver 80",
    "bind_transmitter 80",
  ]);
  await gateway.deliver({
    source_addr: "13105550123",
    source_addr_ton: 1,
    destination_addr: "13105550100",
    short_message: "Hi",
  });
  assert.equal(account.kept.inbound[0]?.text, "Hi");
  await account.open.close();
  assert.equal(gateway.unbinds(), 2);
  assert.equal((await send(account, [aText()]))[0]!.outcome, "not_sent");
});

for (const [long, check] of [
  ["udh", (header: string) => assert.match(header, /^0003..02(01|02)$/)],
  ["udh16", (header: string) => assert.match(header, /^0804....02(01|02)$/)],
  ["sar", (header: string) => assert.equal(header, "")],
  ["payload", (header: string) => assert.equal(header, "")],
] as const) {
  test(`a long text goes out by ${long}, and one receipt is asked for`, async (t) => {
    const gateway = await smppGateway(t);
    const account = await smppAccount(t, gateway.port, { long_texts: long });
    const words = "0123456789".repeat(20);
    const [outcome] = await send(account, [aText(words)]);
    assert.equal(outcome!.outcome, "accepted");
    assert.equal(gateway.submitted.map(textOf).join(""), words);
    assert.equal(gateway.submitted.length, long === "payload" ? 1 : 2);
    assert.equal(gateway.submitted.filter(({ registered }) => registered === 1).length, 1);
    for (const { header } of gateway.submitted) check(header.toString("hex").replace(/^0[56](?=0[08])/, ""));
    if (long === "sar")
      assert.deepEqual(
        gateway.submitted.map(({ sar }) => sar.slice(1)),
        [
          [2, 1],
          [2, 2],
        ],
      );
  });
}

test("a throttled text is submitted again after a pause, as the same attempt, and so is one for a full queue", async (t) => {
  const gateway = await smppGateway(t, { status: (n) => [0x58, 0x14][n] ?? 0 });
  const account = await smppAccount(t, gateway.port, { window: 1 });
  const began = performance.now();
  assert.deepEqual(await send(account, [aText()]), [{ outcome: "accepted", carrierId: "1002" }]);
  assert.equal(gateway.submitted.length, 1);
  assert.ok(performance.now() - began > 2_500);
});

test("refusals keep their codes, and those of the account or the sender bar it", async (t) => {
  const codes = [0x0b, 0x45, 0x412, 0x0a, 0x0f];
  const gateway = await smppGateway(t, { status: (n) => codes[n] });
  const account = await smppAccount(t, gateway.port, { window: 1 });
  assert.deepEqual(
    await send(
      account,
      codes.map(() => aText()),
    ),
    [
      { outcome: "rejected", code: "0x0000000B" },
      { outcome: "rejected", code: "0x00000045" },
      { outcome: "rejected", code: "0x00000412" },
      { outcome: "barred", because: "carrier_account_suspended", code: "0x0000000A" },
      { outcome: "barred", because: "carrier_key_refused", code: "0x0000000F" },
    ],
  );
});

test("a refused password bars the account, and connecting says so", async (t) => {
  const gateway = await smppGateway(t, { bindStatus: ({ password }) => (password === "secret" ? 0 : 0x0e) });
  const wrong = await smppAccount(t, gateway.port, {}, { password: "wrong" });
  assert.deepEqual(await send(wrong, [aText()]), [
    { outcome: "barred", because: "carrier_key_refused", code: "0x0000000E" },
  ]);
  await assert.rejects(wrong.open.numbers(AbortSignal.timeout(1_000)), { account: "refused", code: "0x0000000E" });
  const right = await smppAccount(t, gateway.port, {}, { isIdle: true });
  assert.deepEqual(await right.open.numbers(AbortSignal.timeout(1_000)), [
    { phone: SENDER, capabilities: { sms: true, mms: false, voice: false }, carrierId: null },
  ]);
  assert.deepEqual(
    (await right.open.check({ base: undefined }, {}, AbortSignal.timeout(1_000))).map(({ ok }) => ok),
    [true, false],
  );
  assert.match(
    (await wrong.open.check({ base: undefined }, {}, AbortSignal.timeout(1_000)))[0]!.problem!,
    /password is wrong/,
  );
});

test("what is in the window when the connection is cut is uncertain, what is not is not sent, and nothing is submitted twice", async (t) => {
  const gateway = await smppGateway(t, { reset: (n) => n === 2, answerAfterMs: 200 });
  const account = await smppAccount(t, gateway.port, { window: 3 });
  const outcomes = await send(
    account,
    Array.from({ length: 10 }, () => aText()),
  );
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    [...Array(3).fill("uncertain"), ...Array(7).fill("not_sent")],
  );
  assert.equal(gateway.submitted.length, 3);
  await until("it is connected again", async () => account.sms.isHere!());
  assert.equal((await send(account, [aText()]))[0]!.outcome, "accepted");
});

test("an answer that comes late is a receipt for what was given up as uncertain", async (t) => {
  const gateway = await smppGateway(t, { answerAfterMs: 2_500 });
  const account = await smppAccount(t, gateway.port);
  const text = aText();
  assert.deepEqual(await send(account, [text]), [{ outcome: "uncertain", code: "no_answer" }]);
  await until("the answer is there", async () => account.kept.receipts.length > 0);
  assert.deepEqual(account.kept.receipts, [{ ref: text.ref, status: "sent", carrierId: "1000" }]);
});

test("receipts come by text and by TLV, twice and early, with ids in hex, and are answered when they are committed", async (t) => {
  const gateway = await smppGateway(t, {
    messageId: (n) => String(255 + n),
    receipts: {
      state: "UNDELIV",
      code: 7,
      id: (id) => Number(id).toString(16).toUpperCase().padStart(8, "0"),
      times: 2,
      early: true,
    },
  });
  const account = await smppAccount(t, gateway.port, { receipt_id: "hex" });
  account.kept.fails = true;
  assert.deepEqual(await send(account, [aText()]), [{ outcome: "accepted", carrierId: "255" }]);
  await until("they are refused", async () => gateway.answers.length === 2);
  assert.deepEqual(gateway.answers, [0x64, 0x64]);
  account.kept.fails = false;
  gateway.script.receipts = { state: "DELIVRD", tlvs: true };
  const text = aText();
  await send(account, [text]);
  await until("it is there", async () => account.kept.byId.length > 0);
  assert.deepEqual(account.kept.byId, [
    // The TLV has it as the gateway's receipts have: 0x256, which is 598.
    {
      ...{ carrierId: "598", status: "delivered", to: "+13105550123", sender: "+13105550100" },
      reference: Number.parseInt(text.ref.slice(-4), 16),
    },
  ]);
});

test("an inbound text is delivered again until it is committed, with one id; the same words later are another text", async (t) => {
  const gateway = await smppGateway(t);
  const account = await smppAccount(t, gateway.port);
  const words = {
    source_addr: "13105550123",
    source_addr_ton: 1,
    destination_addr: "13105550100",
    short_message: "ok",
  };
  const seen = new Set<string>();
  account.kept.fails = true;
  assert.equal(await gateway.deliver(words), 0x64);
  account.kept.fails = false;
  assert.equal(await gateway.deliver(words), 0);
  assert.equal(await gateway.deliver(words), 0);
  for (const { carrierId } of account.kept.inbound) seen.add(carrierId);
  assert.equal(seen.size, 2);
  // The session ends: the gateway may not have read the answers.
  gateway.reset();
  await until("it is connected again", async () => account.sms.isHere!() && gateway.binds.length === 2);
  await gateway.deliver(words);
  assert.equal(account.kept.inbound.length, 3);
  assert.ok(seen.has(account.kept.inbound[2]!.carrierId));
  await gateway.deliver({ ...words, short_message: "no", receipted_message_id: "same" });
  await gateway.deliver({ ...words, short_message: "yes", receipted_message_id: "same" });
  assert.equal(new Set(account.kept.inbound.map(({ carrierId }) => carrierId)).size, 4);
  assert.ok(!seen.has(account.kept.inbound[3]!.carrierId));
});

test("a STOP is a text of its own each time, also when it may be the one before it again", async (t) => {
  const gateway = await smppGateway(t);
  const account = await smppAccount(t, gateway.port);
  const stop = {
    source_addr: "13105550123",
    source_addr_ton: 1,
    destination_addr: "13105550100",
    short_message: "Stop.",
  };
  await gateway.deliver(stop);
  gateway.reset();
  await until("it is connected again", async () => account.sms.isHere!() && gateway.binds.length === 2);
  await gateway.deliver(stop);
  assert.equal(new Set(account.kept.inbound.map(({ carrierId }) => carrierId)).size, 2);
});

test("parts of an inbound text come by header and by TLVs, in UCS-2 too", async (t) => {
  const gateway = await smppGateway(t);
  const account = await smppAccount(t, gateway.port);
  const from = { source_addr: "13105550123", source_addr_ton: 1, destination_addr: "13105550100" };
  const udh = Buffer.from([5, 0, 3, 9, 2, 2]);
  await gateway.deliver({ ...from, esm_class: 0x40, data_coding: 8, short_message: { udh, message: "жук" } });
  await gateway.deliver({
    ...from,
    sar_msg_ref_num: 300,
    sar_total_segments: 3,
    sar_segment_seqnum: 1,
    short_message: "one",
  });
  assert.deepEqual(
    account.kept.parts.map(({ text, reference, of, number }) => [text, reference, of, number]),
    [
      ["жук", 9, 2, 2],
      ["one", 300, 3, 1],
    ],
  );
});

test("a gateway that says nothing any more is asked, and the session is given up and opened again", async (t) => {
  const gateway = await smppGateway(t, { isDeaf: true });
  const account = await smppAccount(t, gateway.port);
  await until("it was given up", async () => gateway.binds.length > 1);
  assert.ok(gateway.enquiries() >= 2);
  assert.match(account.warned.join(), /does not answer any more/);
});

test("PDUs whose lengths lie are refused or end the session, and never the process", async (t) => {
  const gateway = await smppGateway(t);
  const account = await smppAccount(t, gateway.port);
  // An answer of an impossible length in place of a submit's: what was submitted is uncertain.
  gateway.script.raw = (n) => (n === 0 ? Buffer.from("000000078000000400000000", "hex") : undefined);
  assert.deepEqual(await send(account, [aText()]), [{ outcome: "uncertain", code: "no_answer" }]);
  await until("it is connected again", async () => account.sms.isHere!() && gateway.binds.length === 2);
  // A deliver_sm whose text is said to be longer than it is, and one of a command that nobody knows.
  gateway.write(Buffer.from("0000001600000005000000000000006300000000ffff", "hex"));
  gateway.write(Buffer.from("00000010000009990000000000000064", "hex"));
  assert.equal((await send(account, [aText()]))[0]!.outcome, "accepted");
  assert.equal(gateway.binds.length, 2);
});

test("an empty id is accepted all the same: receipts find the text by what it was submitted with", async (t) => {
  const gateway = await smppGateway(t, { messageId: () => "" });
  const account = await smppAccount(t, gateway.port);
  const text = aText();
  assert.deepEqual(await send(account, [text]), [{ outcome: "accepted", carrierId: `no-id:${text.ref}` }]);
});

test("what may not leave when its turn comes is not written", async (t) => {
  const gateway = await smppGateway(t);
  const account = await smppAccount(t, gateway.port);
  assert.equal((await send(account, [aText()], () => false))[0]!.outcome, "not_sent");
  assert.equal(gateway.submitted.length, 0);
});

test("no more are unanswered than the window has, and no more leave in a second than are agreed", async (t) => {
  const gateway = await smppGateway(t, { answerAfterMs: 10 });
  const account = await smppAccount(t, gateway.port, { window: 5, per_second: 50 });
  const outcomes = await send(
    account,
    Array.from({ length: 100 }, () => aText()),
  );
  assert.ok(outcomes.every(({ outcome }) => outcome === "accepted"));
  const times = gateway.submitted.map(({ at }) => at);
  const inASecond = times.map((at) => times.filter((other) => other >= at && other < at + 1_000).length);
  assert.ok(Math.max(...inASecond) <= 60, `${Math.max(...inASecond)} in a second`);
});

test("no more is claimed at once than leaves while a claim is good, and with a small window no more than that", async (t) => {
  const gateway = await smppGateway(t);
  for (const [settings, batch, most] of [
    [{ window: 1, per_second: 50 }, 4, 10],
    [{ window: 10, per_second: 100 }, 34, 100],
    [{ window: 50, per_second: 2 }, 4, 6],
  ] as const) {
    const { capabilities } = (await smppAccount(t, gateway.port, settings)).open.sms!;
    assert.deepEqual([capabilities.largestBatch, capabilities.mostClaimed], [batch, most]);
  }
});

test("for a gateway that turns out to be slow no more is claimed than four windows", async (t) => {
  const gateway = await smppGateway(t, { answerAfterMs: 300 });
  const account = await smppAccount(t, gateway.port, { window: 2, per_second: 100 });
  assert.equal(account.sms.capabilities.mostClaimed, 20);
  await send(
    account,
    Array.from({ length: 6 }, () => aText()),
  );
  assert.ok(account.sms.capabilities.mostClaimed! <= 10);
});

test("a gateway that is fast is claimed for further ahead than its window, and no further than its contract's pace", async (t) => {
  const gateway = await smppGateway(t, { answerAfterMs: 5 });
  const account = await smppAccount(t, gateway.port, { window: 10, per_second: 400 });
  await send(
    account,
    Array.from({ length: 500 }, () => aText()),
  );
  const { mostClaimed, largestBatch } = account.sms.capabilities;
  assert.ok(mostClaimed! > 100 && mostClaimed! <= 1_200, `${mostClaimed} are claimed`);
  assert.ok(largestBatch! > 10 && largestBatch! <= 400, `${largestBatch} at once`);
});

test("each wrong setting is named", () => {
  const { problems } = readSettings(
    {
      credentials: { system_id: "a".repeat(16) },
      settings: { host: "gateway", port: 0, tls: "yes", bind: "both", window: 0, senders: ["12"], receipt_id: "octal" },
    },
    tenantHosts(),
  );
  assert.deepEqual(problems.map(({ field }) => field).sort(), [
    "credentials.password",
    "credentials.system_id",
    "settings.bind",
    "settings.port",
    "settings.receipt_id",
    "settings.senders[0]",
    "settings.tls",
    "settings.window",
  ]);
});

test("a gateway at no public address is refused in the account, and nothing is sent to one that a name leads to", async (t) => {
  const gateway = await smppGateway(t);
  const hosts = tenantHosts();
  const fields = { credentials: { system_id: "parley", password: "x" }, settings: { host: "", senders: [SENDER] } };
  for (const host of ["127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "localhost", "127.1"]) {
    const { problems } = readSettings({ ...fields, settings: { ...fields.settings, host } }, hosts);
    assert.deepEqual(
      problems.map(({ field }) => field),
      ["settings.host"],
    );
  }
  for (const host of ["127.0.0.1", "localhost"]) {
    for (const tls of [false, true]) {
      const account = await smppAccount(t, gateway.port, { host, tls }, { isIdle: true, hosts });
      const [check] = await account.open.check({ base: undefined }, {}, AbortSignal.timeout(10_000));
      assert.match(check!.problem ?? "", /is at no public address: nothing was sent to it/);
      assert.match(check!.remedy ?? "", /PARLEY_CARRIER_PRIVATE_HOSTS/);
    }
  }
  assert.deepEqual(gateway.binds, []);
});
