import assert from "node:assert/strict";
import { test } from "node:test";
import type { SipResponse } from "#adapters/sip-messages/message.ts";
import { handClock } from "#test/support/time/hand-clock.ts";
import { clientTransaction, inviteClientTransaction } from "./client-transaction.ts";
import { inviteServerMachine, serverMachine } from "./server-transaction.ts";

const answer = (status: number) => ({ kind: "response", status }) as SipResponse;

function aClient(make: "invite" | "other", isReliable = false) {
  const clock = handClock();
  const sentAt: number[] = [];
  const log: string[] = [];
  const on = {
    response: ({ status }: SipResponse) => void log.push(String(status)),
    failed: () => void log.push("failed"),
    ended: () => void log.push("ended"),
  };
  const parts = { clock, isReliable, send: () => void sentAt.push(clock.now()), on };
  const acknowledge = () => void log.push("ack");
  const transaction = make === "invite" ? inviteClientTransaction({ ...parts, acknowledge }) : clientTransaction(parts);
  return { clock, sentAt, log, transaction };
}

test("an INVITE is sent again after 0.5, 1, 2, 4, 8 and 16 s, and given up after 32 s (timers A and B)", () => {
  const { clock, sentAt, log } = aClient("invite");
  clock.pass(40_000);
  assert.deepEqual(sentAt, [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500]);
  assert.deepEqual(log, ["failed", "ended"]);
});

test("over TCP nothing is sent again", () => {
  const { clock, sentAt, log } = aClient("invite", true);
  clock.pass(40_000);
  assert.deepEqual([sentAt, log], [[0], ["failed", "ended"]]);
});

test("an INVITE that rings waits as long as it takes; a refusal is acknowledged each time (timer D)", () => {
  const { clock, sentAt, log, transaction } = aClient("invite");
  transaction.received(answer(180));
  clock.pass(120_000);
  transaction.received(answer(486));
  transaction.received(answer(486));
  clock.pass(31_999);
  transaction.received(answer(486));
  clock.pass(1);
  transaction.received(answer(486));
  assert.deepEqual(sentAt, [0]);
  assert.deepEqual(log, ["180", "ack", "486", "ack", "ack", "ended"]);
});

test("every 2xx of an INVITE is passed on for 32 s (timer M)", () => {
  const { clock, log, transaction } = aClient("invite");
  transaction.received(answer(200));
  transaction.received(answer(200));
  transaction.received(answer(486));
  clock.pass(32_000);
  transaction.received(answer(200));
  assert.deepEqual(log, ["200", "200", "ended"]);
});

test("another request is sent again at most every 4 s, and takes one answer (timers E, F, K)", () => {
  const silent = aClient("other");
  silent.clock.pass(40_000);
  assert.deepEqual(silent.sentAt.slice(0, 6), [0, 500, 1_500, 3_500, 7_500, 11_500]);
  assert.deepEqual(silent.log, ["failed", "ended"]);

  const { clock, log, transaction } = aClient("other");
  transaction.received(answer(200));
  transaction.received(answer(200));
  clock.pass(5_000);
  assert.deepEqual(log, ["200", "ended"]);
});

function aServer(make: "invite" | "other") {
  const clock = handClock();
  const sent: string[] = [];
  const parts = {
    clock,
    isReliable: false,
    send: (bytes: Buffer) => void sent.push(`${clock.now()} ${bytes}`),
    ended: () => void sent.push(`${clock.now()} ended`),
  };
  const unacknowledged = () => void sent.push(`${clock.now()} unacknowledged`);
  const transaction = make === "invite" ? inviteServerMachine({ ...parts, unacknowledged }) : serverMachine(parts);
  return { clock, sent, transaction };
}

test("a refusal is sent again until its ACK, a repeated INVITE is answered as before (timers G, H, I)", () => {
  const { clock, sent, transaction } = aServer("invite");
  transaction.respond(180, Buffer.from("180"));
  transaction.repeated();
  transaction.respond(486, Buffer.from("486"));
  clock.pass(1_600);
  transaction.acknowledged();
  clock.pass(60_000);
  assert.deepEqual(sent, ["0 180", "0 180", "0 486", "500 486", "1500 486", "6600 ended"]);
  assert.equal(transaction.respond(200, Buffer.from("200")), false);
});

test("a refusal without an ACK is given up after 32 s", () => {
  const { clock, sent, transaction } = aServer("invite");
  transaction.respond(603, Buffer.from("603"));
  clock.pass(60_000);
  assert.deepEqual(sent.slice(-2), ["32000 unacknowledged", "32000 ended"]);
});

test("an answer to another request is kept for its repetitions for 32 s (timer J)", () => {
  const { clock, sent, transaction } = aServer("other");
  transaction.respond(200, Buffer.from("200"));
  clock.pass(31_000);
  transaction.repeated();
  clock.pass(1_000);
  assert.deepEqual(sent, ["0 200", "31000 200", "32000 ended"]);
});
