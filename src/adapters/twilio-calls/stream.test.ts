import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamSocket } from "#ports/call-streams.ts";
import { openStream } from "./stream.ts";

const SID = `MZ${"0c".repeat(16)}`;
const START = {
  event: "start",
  streamSid: SID,
  start: {
    accountSid: `AC${"a1".repeat(16)}`,
    callSid: `CA${"b2".repeat(16)}`,
    customParameters: { ticket: "t" },
    mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
  },
};

function aStream({ isOurs = true } = {}) {
  const clock = { ms: 0 };
  const heard: string[] = [];
  const said: { event: string }[] = [];
  let listener: Parameters<StreamSocket["listen"]>[0] | undefined;
  const stream = openStream(
    {
      listen: (on) => {
        listener = on;
      },
      send: (text) => void said.push(JSON.parse(text)),
      close: () => void heard.push("close"),
    },
    {
      started(start) {
        heard.push(`start ${start.parameters.ticket}`);
        return isOurs;
      },
      sound: (frames) => void heard.push(`sound ${frames.length} ${frames[0]}`),
      digit: (digit) => void heard.push(`digit ${digit}`),
      marked: (name) => void heard.push(`mark ${name}`),
      ended: (how) => void heard.push(how),
    },
    () => clock.ms,
  );
  const text = (value: unknown) => listener!.text(typeof value === "string" ? value : JSON.stringify(value));
  const media = (chunk: number, { bytes = 160, value = 1, sid = SID } = {}) =>
    text({
      ...{ event: "media", streamSid: sid },
      media: {
        track: "inbound",
        chunk: String(chunk),
        timestamp: "0",
        payload: Buffer.alloc(bytes, value).toString("base64"),
      },
    });
  return { stream, clock, heard, said, text, media, closed: () => listener!.closed() };
}

test("sound comes in whole frames, in order, and once", () => {
  const { heard, text, media } = aStream();
  text({ event: "connected", protocol: "Call", version: "1.0.0" });
  media(1);
  text(START);
  media(1);
  media(3, { value: 3, bytes: 100 });
  media(2, { value: 2 });
  media(3, { value: 3 });
  media(4, { value: 4, bytes: 220 });
  media(5, { sid: `MZ${"00".repeat(16)}` });
  assert.deepEqual(heard, ["start t", "sound 160 1", "sound 320 3"]);
});

test("keys and marks come through, and nothing after the stop", () => {
  const { heard, text, media } = aStream();
  text(START);
  text({ event: "dtmf", streamSid: SID, dtmf: { digit: "5" } });
  text({ event: "mark", streamSid: SID, mark: { name: "said" } });
  text({ event: "stop", streamSid: SID });
  media(1);
  text({ event: "dtmf", streamSid: SID, dtmf: { digit: "6" } });
  text(START);
  assert.deepEqual(heard, ["start t", "digit 5", "mark said", "close", "stopped"]);
});

test("what is sent has the stream's name, and nothing is sent before its start or after its end", () => {
  const { stream, said, text, closed, heard } = aStream();
  stream.send(new Uint8Array(160));
  text(START);
  stream.send(new Uint8Array(160));
  stream.mark("end");
  stream.clear();
  closed();
  stream.clear();
  stream.close();
  assert.deepEqual(
    said.map((message) => message.event),
    ["media", "mark", "clear"],
  );
  assert.deepEqual(heard, ["start t", "close", "lost"]);
});

test("another call's stream is closed at once", () => {
  const { heard, text, media } = aStream({ isOurs: false });
  text(START);
  media(1);
  assert.deepEqual(heard, ["start t", "close", "lost"]);
});

test("sound that comes faster than it can be spoken is not taken, nor are keys without end", () => {
  const { heard, text, media, clock } = aStream();
  text(START);
  for (let chunk = 1; chunk <= 1_000; chunk++) media(chunk);
  assert.equal(heard.filter((one) => one.startsWith("sound")).length, 150);
  clock.ms = 1_000;
  media(1_001);
  assert.equal(heard.at(-1), "sound 160 1");
  for (let n = 0; n < 1_000; n++) text({ event: "dtmf", streamSid: SID, dtmf: { digit: "1" } });
  assert.equal(heard.filter((one) => one === "digit 1").length, 100);
  for (const wrong of ["", "{", "null", JSON.stringify({ event: "media", streamSid: SID })]) text(wrong);
});

test("a stream that does not begin is closed within seconds", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { heard, text } = aStream();
  text({ event: "connected" });
  t.mock.timers.tick(5_000);
  assert.deepEqual(heard, ["close", "lost"]);
});
