import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { type TestContext, test } from "node:test";
import type { WebSocket } from "ws";
import { FRAME_SAMPLES } from "#domain/calls/g711.ts";
import { pageLine } from "./page-line.ts";

/** A page's socket, and what the line sent to it and received from it. */
function aLine(t: TestContext, word: (data: Buffer) => void = () => {}) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const sent: (string | Uint8Array)[] = [];
  const received: number[] = [];
  let gone = 0;
  let closedWith: number | undefined;
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send: (message: string | Uint8Array) => sent.push(message),
    close(code: number) {
      closedWith = code;
      socket.readyState = 2;
    },
  });
  const log = { info() {}, warn() {}, error() {} };
  const line = pageLine(socket as unknown as WebSocket, log, {
    word,
    sound: (frames) => received.push(frames.length / FRAME_SAMPLES),
    gone: () => gone++,
  });
  return {
    line,
    socket,
    sent,
    received,
    says: (frames: number, odd = 0) =>
      socket.emit("message", Buffer.alloc(Math.max(0, frames * FRAME_SAMPLES + odd)), true),
    passes(ms: number) {
      for (let left = ms; left > 0; left -= 1_000) {
        now += Math.min(1_000, left);
        t.mock.timers.tick(1_000);
      }
    },
    gone: () => gone,
    closedWith: () => closedWith,
    fault: () => JSON.parse(String(sent.at(-1))).details[0].message as string,
  };
}

test("sound is handed on from the start on, and not what came before it", (t) => {
  const { line, says, received } = aLine(t);
  says(1);
  line.start();
  says(2);
  says(50);
  assert.deepEqual(received, [2, 50]);
});

test("an invalid audio message is reported, and ends the connection at once", (t) => {
  for (const [frames, odd] of [
    [1, 1],
    [0, 0],
    [51, 0],
  ] as const) {
    const line = aLine(t);
    line.line.start();
    line.says(frames, odd);
    assert.match(line.fault(), /1 to 50 whole frames of 160 bytes/);
    assert.deepEqual([line.closedWith(), line.gone(), line.received], [1008, 1, []]);
    t.mock.reset();
    t.mock.timers.reset();
  }
});

test("sound may be three seconds ahead of its time and no more, however long nobody spoke before", (t) => {
  const { line, says, passes, received, fault } = aLine(t);
  line.start();
  passes(9_000);
  for (let i = 0; i < 6; i++) says(50);
  assert.equal(received.length, 6);
  says(1);
  assert.match(fault(), /faster than it can have been spoken/);
});

test("a page that sends nothing for ten seconds is gone, once; its socket stays open for the last messages", (t) => {
  const { line, says, passes, gone, closedWith, socket } = aLine(t);
  passes(20_000);
  assert.equal(gone(), 0, "nothing is expected of it yet");
  line.start();
  passes(9_000);
  says(1);
  passes(9_000);
  assert.equal(gone(), 0);
  passes(3_000);
  socket.emit("close");
  assert.deepEqual([gone(), closedWith()], [1, undefined]);
});

test("what is not taken is dropped, and a failing text message ends the connection", async (t) => {
  const { line, socket, sent, closedWith, gone } = aLine(t, () => {
    throw new Error("a fault of ours");
  });
  line.say(new Uint8Array(160));
  socket.bufferedAmount = 16_000;
  line.say(new Uint8Array(160));
  assert.equal(sent.length, 1);
  socket.emit("message", Buffer.from("{}"), false);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(JSON.parse(String(sent.at(-1))).code, "internal");
  assert.deepEqual([closedWith(), gone()], [1011, 1]);
});
