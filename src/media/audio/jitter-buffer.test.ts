import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeUlaw, ulawToSample } from "#domain/calls/g711.ts";
import { createJitterBuffer, type FrameKind, type JitterBuffer } from "./jitter-buffer.ts";

type Packet = { sequence: number; timestamp: number; payload: Uint8Array; arrivesMs: number };

/** Packet number `index` of a stream; its level encodes its number. */
const payloadOf = (index: number, length = 160): Uint8Array => new Uint8Array(length).fill(0x80 + (index % 100));
const levelOf = (index: number): number => ulawToSample(0x80 + (index % 100));

function stream(count: number, arrival: (index: number) => number, first = { sequence: 0, timestamp: 0 }): Packet[] {
  return Array.from({ length: count }, (_, index) => ({
    sequence: (first.sequence + index) & 0xffff,
    timestamp: (first.timestamp + index * 160) >>> 0,
    payload: payloadOf(index),
    arrivesMs: arrival(index),
  }));
}

type Played = { kind: FrameKind; level: number };

/** Plays packets as they arrive, a frame every 20 ms from 10 ms on. */
function play(
  packets: readonly Packet[],
  ms: number,
  buffer: JitterBuffer = createJitterBuffer(),
  clock = 20,
): Played[] {
  const order = [...packets].sort((a, b) => a.arrivesMs - b.arrivesMs);
  const frame = new Int16Array(160);
  const played: Played[] = [];
  let next = 0;
  for (let nowMs = 10; nowMs < ms; nowMs += clock) {
    for (; next < order.length && order[next]!.arrivesMs <= nowMs; next++) {
      const { sequence, timestamp, payload, arrivesMs } = order[next]!;
      buffer.push(sequence, timestamp, payload, arrivesMs);
    }
    const kind = buffer.pop(frame, nowMs);
    played.push({ kind, level: frame[159]! });
  }
  return played;
}

const soundsOf = (played: readonly Played[]) => played.filter(({ kind }) => kind === "sound").map(({ level }) => level);
const count = (played: readonly Played[], kind: FrameKind) => played.filter((frame) => frame.kind === kind).length;

/** A pseudo-random sequence that is the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("a steady stream is played whole and in order, at a delay of two frames at most", () => {
  const played = play(
    stream(100, (index) => index * 20),
    2_200,
  );

  assert.deepEqual(
    soundsOf(played).slice(0, 99),
    Array.from({ length: 99 }, (_, index) => levelOf(index)),
  );
  assert.ok(played.findIndex(({ kind }) => kind === "sound") <= 3);
  assert.equal(count(played.slice(0, 100), "concealed"), 0);
});

test("sequence numbers and timestamps may wrap", () => {
  const played = play(
    stream(100, (index) => index * 20, { sequence: 65_500, timestamp: 2 ** 32 - 1_600 }),
    2_000,
  );

  assert.deepEqual(
    soundsOf(played).slice(0, 95),
    Array.from({ length: 95 }, (_, index) => levelOf(index)),
  );
});

test("packets that overtake each other are put in order, and a duplicate is played once", () => {
  const buffer = createJitterBuffer();
  const packets = stream(100, (index) => index * 20 + (index % 5 === 0 ? 25 : 0));
  const played = play(
    [...packets, ...packets.map((packet) => ({ ...packet, arrivesMs: packet.arrivesMs + 3 }))],
    2_000,
    buffer,
  );

  const levels = soundsOf(played).slice(10, 90);
  assert.deepEqual(
    levels.map((level, i) =>
      i === 0 ? true : level === levelOf([...Array(100).keys()].find((n) => levelOf(n) === levels[i - 1])! + 1),
    ),
    levels.map(() => true),
  );
  assert.equal(buffer.stats.duplicates, buffer.stats.packets / 2);
  assert.equal(buffer.stats.late, 0);
});

test("a lost packet is made up for and moves nothing", () => {
  const buffer = createJitterBuffer();
  const played = play(
    stream(200, (index) => index * 20).filter((_, index) => index % 10 !== 5),
    4_000,
    buffer,
  );

  const first = played.findIndex(({ kind }) => kind === "sound");
  assert.equal(buffer.stats.concealed, 20);
  for (let index = 0; index < 190; index++) {
    const { kind, level } = played[first + index]!;
    if (index % 10 === 5) assert.equal(kind, "concealed");
    // The frame after a loss is crossed with it at its beginning only.
    else assert.deepEqual({ kind, level }, { kind: "sound", level: levelOf(index) });
  }
});

test("20 % loss costs no time: as many frames as were sent", () => {
  const random = chance(1);
  const buffer = createJitterBuffer();
  const played = play(
    stream(1_000, (index) => index * 20).filter(() => random() > 0.2),
    20_000,
    buffer,
  );

  const missing = count(played, "concealed") + count(played, "silence");
  assert.ok(Math.abs(missing - 200) < 60, `${missing} frames were made up`);
  assert.ok(soundsOf(played).length > 740);
  assert.ok(buffer.stats.stretched + buffer.stats.dropped < 20);
});

test("the delay grows with the network's jitter and shrinks when it is quiet again", () => {
  const random = chance(2);
  const buffer = createJitterBuffer();
  const uneven = (index: number) => index * 20 + (index < 500 ? random() * 90 : 5);
  const packets = stream(1_200, uneven);

  const rough = play(
    packets.filter(({ arrivesMs }) => arrivesMs < 10_000),
    10_000,
    buffer,
  );
  const targetWhenRough = buffer.targetMs();
  assert.ok(targetWhenRough >= 80 && targetWhenRough <= 120, `${targetWhenRough} ms`);
  assert.ok(count(rough.slice(100), "concealed") < 12, `${count(rough.slice(100), "concealed")} of 400 were made up`);

  const frame = new Int16Array(160);
  for (const { sequence, timestamp, arrivesMs } of packets.filter((packet) => packet.arrivesMs >= 10_000)) {
    // Quiet, so that the delay may be shortened unheard.
    buffer.push(sequence, timestamp, new Uint8Array(160).fill(0xfe), arrivesMs);
    buffer.pop(frame, arrivesMs + 5);
  }
  assert.ok(buffer.targetMs() <= 40, `${buffer.targetMs()} ms`);
  assert.ok(buffer.stats.dropped >= 2, "what had waited was left out");
});

test("a sender whose clock is off by 500 ppm is followed for ten minutes", () => {
  for (const rate of [1.0005, 0.9995]) {
    const buffer = createJitterBuffer();
    const frame = new Int16Array(160);
    const random = chance(3);
    let index = 0;
    let made = 0;
    for (let nowMs = 10; nowMs < 600_000; nowMs += 20) {
      for (; index * 20 * rate <= nowMs; index++) {
        // Speech with pauses: two seconds of each.
        const code = index % 200 < 100 ? 0x80 + Math.floor(random() * 60) : 0xfe;
        buffer.push(index & 0xffff, (index * 160) >>> 0, new Uint8Array(160).fill(code), index * 20 * rate);
      }
      if (buffer.pop(frame, nowMs) !== "sound") made += 1;
    }
    const corrected = buffer.stats.dropped + buffer.stats.stretched;
    assert.ok(made < 40, `${made} of 30,000 frames were made up at ${rate}`);
    assert.ok(corrected >= 10 && corrected < 40, `${corrected} corrections of about 15 at ${rate}`);
    assert.equal(buffer.stats.late, 0);
  }
});

test("a sender that pauses has lost nothing, and is played at once when it goes on", () => {
  const buffer = createJitterBuffer();
  const before = stream(50, (index) => index * 20);
  const after = stream(50, (index) => 3_000 + index * 20, { sequence: 50, timestamp: 24_000 });
  const played = play([...before, ...after], 3_900, buffer);

  assert.ok(buffer.stats.concealed <= 3, `${buffer.stats.concealed} frames faded out`);
  assert.equal(buffer.stats.resyncs, 0);
  const again = played.findIndex(({ kind }, at) => at > 60 && kind === "sound");
  assert.ok(again * 20 <= 3_080, `played again after ${again * 20} ms`);
});

test("a new source with other timestamps is taken up after three packets, a stray is not", () => {
  const buffer = createJitterBuffer();
  const stray = { sequence: 9, timestamp: 5_000_000, payload: payloadOf(0), arrivesMs: 401 };
  const before = stream(50, (index) => index * 20);
  const after = stream(50, (index) => 1_000 + index * 20, { sequence: 7_000, timestamp: 900_000 });
  const played = play([...before, stray, ...after], 2_000, buffer);

  assert.equal(buffer.stats.resyncs, 1);
  assert.ok(soundsOf(played).length >= 90, `${soundsOf(played).length} frames were played`);
});

test("a sender whose timestamps stand still while it pauses is taken up too", () => {
  const buffer = createJitterBuffer();
  const before = stream(50, (index) => index * 20);
  const after = stream(50, (index) => 1_500 + index * 20, { sequence: 50, timestamp: 8_000 });
  const played = play([...before, ...after], 2_500, buffer);

  assert.ok(soundsOf(played.slice(75)).length >= 38, `${soundsOf(played.slice(75)).length} of 50 were played`);
});

test("packets of 10, 30 and 60 ms are taken as they are", () => {
  for (const length of [80, 240, 480]) {
    const buffer = createJitterBuffer();
    const packets = Array.from({ length: 60 }, (_, index) => ({
      sequence: index,
      timestamp: index * length,
      payload: payloadOf(1, length),
      arrivesMs: ((index + 1) * length) / 8,
    }));
    const played = play(packets, (60 * length) / 8, buffer);
    assert.ok(count(played, "concealed") <= 3, `${count(played, "concealed")} frames of ${length} were made up`);
  }
});

test("after a standstill of ours what waited is dropped at once", () => {
  const buffer = createJitterBuffer();
  const frame = new Int16Array(160);
  for (let index = 0; index < 100; index++) {
    buffer.push(index, index * 160, payloadOf(index), index * 20);
    if (index < 50 || index > 90) buffer.pop(frame, index * 20 + 10);
  }
  assert.ok(buffer.stats.dropped >= 35, `${buffer.stats.dropped} frames were dropped`);
});

test("silence comes before the first packet", () => {
  const frame = new Int16Array(160).fill(7);

  assert.equal(createJitterBuffer().pop(frame, 0), "silence");
  assert.deepEqual(frame, new Int16Array(160));
});

test("sound survives the way through codec and buffer exactly", () => {
  const tone = Int16Array.from({ length: 160 * 50 }, (_, n) => Math.round(9_000 * Math.sin(n / 5)));
  const codes = new Uint8Array(tone.length);
  encodeUlaw(tone, codes);
  const packets = stream(50, (index) => index * 20).map((packet, index) => ({
    ...packet,
    payload: codes.subarray(index * 160, index * 160 + 160),
  }));
  const played = play(packets, 1_040);

  assert.deepEqual(
    soundsOf(played).slice(0, 48),
    Array.from({ length: 48 }, (_, index) => ulawToSample(codes[index * 160 + 159]!)),
  );
});
