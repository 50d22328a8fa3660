import assert from "node:assert/strict";
import { test } from "node:test";
import { clearMessage, MAX_MESSAGE, markMessage, mediaMessage, readMessage } from "./messages.ts";

const STREAM = `MZ${"0c".repeat(16)}`;
const START = {
  event: "start",
  sequenceNumber: "1",
  streamSid: STREAM,
  start: {
    streamSid: STREAM,
    accountSid: `AC${"a1".repeat(16)}`,
    callSid: `CA${"b2".repeat(16)}`,
    tracks: ["inbound"],
    customParameters: { ticket: "abc", count: 4 },
    mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
  },
};
const media = (more: object = {}, stream: unknown = STREAM) => ({
  ...{ event: "media", sequenceNumber: "4", streamSid: stream },
  media: {
    track: "inbound",
    chunk: "2",
    timestamp: "40",
    payload: Buffer.alloc(160, 0xff).toString("base64"),
    ...more,
  },
});
const read = (value: unknown) => readMessage(JSON.stringify(value));
const problem = (value: unknown): string => {
  const message = read(value);
  return message.event === "other" ? message.problem : "";
};

test("the messages of a stream are read, with their counters as numbers", () => {
  assert.deepEqual(read({ event: "connected", protocol: "Call", version: "1.0.0" }), { event: "connected" });
  assert.deepEqual(read(START), {
    event: "start",
    streamSid: STREAM,
    accountSid: START.start.accountSid,
    callSid: START.start.callSid,
    parameters: { ticket: "abc" },
  });
  const sound = read(media());
  assert.ok(sound.event === "media");
  assert.deepEqual([sound.chunk, sound.timestamp, sound.sound.length, sound.sound[0]], [2, 40, 160, 0xff]);
  assert.deepEqual(read({ event: "dtmf", streamSid: STREAM, dtmf: { track: "inbound_track", digit: "#" } }), {
    ...{ event: "dtmf", streamSid: STREAM, digit: "#" },
  });
  assert.deepEqual(read({ event: "mark", streamSid: STREAM, mark: { name: "end" } }), {
    ...{ event: "mark", streamSid: STREAM, name: "end" },
  });
  assert.deepEqual(read({ event: "stop", streamSid: STREAM, stop: {} }), { event: "stop", streamSid: STREAM });
});

test("sound that is not the negotiated format's is refused at the start", () => {
  for (const mediaFormat of [
    { encoding: "audio/l16", sampleRate: 8000, channels: 1 },
    { encoding: "audio/x-mulaw", sampleRate: 16000, channels: 1 },
    { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 2 },
    undefined,
  ])
    assert.match(problem({ ...START, start: { ...START.start, mediaFormat } }), /mediaFormat/);
});

test("whatever comes is a message or says what is wrong with it, and nothing is thrown", () => {
  const wrong: [unknown, RegExp][] = [
    [null, /no JSON object/],
    [[], /no JSON object/],
    ["media", /no JSON object/],
    [{}, /streamSid/],
    [media({}, "MZ1"), /streamSid/],
    [media({}, { toString: 1 }), /streamSid/],
    [media({ track: "outbound" }), /track/],
    [media({ chunk: "-1" }), /chunk/],
    [media({ chunk: {} }), /chunk/],
    [media({ timestamp: "1e400" }), /timestamp/],
    [media({ payload: "" }), /base64/],
    [media({ payload: "=!" }), /base64/],
    [media({ payload: 7 }), /base64/],
    [media({ payload: Buffer.alloc(8_001).toString("base64") }), /too long/],
    [{ event: "media", streamSid: STREAM, media: null }, /chunk/],
    [{ event: "dtmf", streamSid: STREAM, dtmf: { digit: "12" } }, /digit/],
    [{ event: "dtmf", streamSid: STREAM }, /digit/],
    [{ event: "mark", streamSid: STREAM, mark: { name: "x".repeat(201) } }, /mark/],
    [{ event: "start", streamSid: STREAM }, /account/],
    [{ ...START, start: { ...START.start, callSid: "CA1" } }, /callSid/],
    [{ event: "new-event", streamSid: STREAM }, /none that we know/],
  ];
  for (const [value, pattern] of wrong) assert.match(problem(value), pattern, JSON.stringify(value));
  for (const text of ["", "{", "\0", "nul", '{"__proto__":{"event":"stop"}}', "[".repeat(10_000)])
    assert.equal(readMessage(text).event, "other", text.slice(0, 20));
  assert.equal(readMessage(" ".repeat(MAX_MESSAGE + 1)).event, "other");
});

test("what we say is as Twilio takes it", () => {
  const frame = new Uint8Array(320).fill(7).subarray(160);
  assert.deepEqual(JSON.parse(mediaMessage(STREAM, frame)), {
    event: "media",
    streamSid: STREAM,
    media: { payload: Buffer.alloc(160, 7).toString("base64") },
  });
  assert.deepEqual(JSON.parse(markMessage(STREAM, "end")), { event: "mark", streamSid: STREAM, mark: { name: "end" } });
  assert.deepEqual(JSON.parse(clearMessage(STREAM)), { event: "clear", streamSid: STREAM });
});
