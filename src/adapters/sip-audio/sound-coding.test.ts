import assert from "node:assert/strict";
import { test } from "node:test";
import { CODECS, type Codec } from "#adapters/sip-messages/formats.ts";
import { decodeUlaw, encodeUlaw, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import { openOpus } from "./opus.ts";
import { type Decoded, soundCoding } from "./sound-coding.ts";

/** A voice of sorts: a buzz of 300 Hz that swells and fades, as mu-law frames. */
function frames(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, frame) => {
    const samples = Int16Array.from({ length: FRAME_SAMPLES }, (_, i) => {
      const at = (frame * FRAME_SAMPLES + i) / 8_000;
      const buzz = [1, 2, 3, 5, 8].reduce((sum, k) => sum + Math.sin(2 * Math.PI * 300 * k * at) / k, 0);
      return 5_000 * buzz * (0.6 + 0.4 * Math.sin(2 * Math.PI * 2.3 * at));
    });
    const coded = new Uint8Array(FRAME_SAMPLES);
    encodeUlaw(samples, coded);
    return coded;
  });
}

const samplesOf = (sound: readonly Uint8Array[]): Int16Array => {
  const all = Buffer.concat(sound);
  const samples = new Int16Array(all.length);
  decodeUlaw(all, samples);
  return samples;
};

/** The best correlation of two sounds over delays of up to 30 ms. */
function likeness(a: Int16Array, b: Int16Array): number {
  let best = 0;
  for (let delay = 0; delay <= 240; delay++) {
    let [ab, aa, bb] = [0, 0, 0];
    for (let i = 800; i + delay < Math.min(a.length, b.length); i++) {
      ab += a[i]! * b[i + delay]!;
      aa += a[i]! ** 2;
      bb += b[i + delay]! ** 2;
    }
    best = Math.max(best, ab / Math.sqrt(aa * bb));
  }
  return best;
}

const aPair = async () => {
  const opus = await openOpus();
  return { opus, coding: soundCoding(opus) };
};

function encoded(coding: ReturnType<typeof soundCoding>, codec: Codec, sound: readonly Uint8Array[]): Buffer[] {
  return sound.map((frame) => {
    const packet = new Uint8Array(FRAME_SAMPLES);
    return Buffer.from(packet.subarray(0, coding.encode(codec, frame, packet, 0)));
  });
}

const LIKENESS: Readonly<Record<Codec, number>> = { opus: 0.93, G722: 0.99, PCMU: 0.9999, PCMA: 0.999 };

for (const codec of CODECS) {
  test(`what is encoded as ${codec} is heard again`, async (t) => {
    const { opus, coding } = await aPair();
    t.after(opus.free);
    const said = frames(100);
    const heard: Uint8Array[] = [];
    const wide: number[] = [];
    encoded(coding, codec, said).forEach((packet, sequence) => {
      const isSound = coding.decode(codec, sequence, packet, (back, sound, more) => {
        assert.equal(back, 0);
        heard.push(Uint8Array.from(sound));
        wide.push(more?.length ?? 0);
      });
      assert.ok(isSound);
    });
    assert.deepEqual(new Set(heard.map(({ length }) => length)), new Set([FRAME_SAMPLES]));
    assert.deepEqual(new Set(wide), new Set([codec === "opus" || codec === "G722" ? 2 * FRAME_SAMPLES : 0]));
    const alike = likeness(samplesOf(said), samplesOf(heard));
    t.diagnostic(`${codec}: likeness ${alike.toFixed(4)}`);
    assert.ok(alike > LIKENESS[codec], `${alike}`);
  });
}

test("a lost Opus packet is made again from the copy in the next, and one that comes too late is left out", async (t) => {
  const { opus, coding } = await aPair();
  t.after(opus.free);
  coding.shape({ fec: true });
  const said = frames(100);
  const packets = encoded(coding, "opus", said);
  const places = new Map<number, Uint8Array>();
  packets.forEach((packet, sequence) => {
    if (sequence % 10 === 5) return;
    const keep: Decoded = (back, sound) => void places.set(sequence - back, Uint8Array.from(sound));
    assert.ok(coding.decode("opus", sequence, packet, keep));
  });
  assert.equal(places.size, 100);
  const heard = samplesOf([...places.entries()].toSorted(([a], [b]) => a - b).map(([, sound]) => sound));
  const alike = likeness(samplesOf(said), heard);
  t.diagnostic(`likeness with every tenth packet lost: ${alike.toFixed(4)}`);
  assert.ok(alike > 0.92, `${alike}`);
  assert.ok(coding.decode("opus", 95, packets[95]!, () => assert.fail("it is too late")));
});

test("nothing that comes as Opus or G.722 ends the process, and what is none is said to be none", async (t) => {
  const { opus, coding } = await aPair();
  t.after(opus.free);
  const good = encoded(coding, "opus", frames(20));
  let x = 7;
  const chance = (below: number) => {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((x / 2 ** 32) * below);
  };
  let refused = 0;
  for (let i = 0; i < 5_000; i++) {
    const packet = Buffer.from(good[chance(good.length)]!);
    const kind = chance(4);
    const bytes =
      kind === 0
        ? packet.subarray(0, 1 + chance(packet.length))
        : kind === 1
          ? Buffer.concat([packet, Buffer.alloc(chance(1_300), chance(256))])
          : Buffer.from(Array.from({ length: 1 + chance(1_400) }, () => chance(256)));
    if (kind === 2) for (let k = 0; k < 3; k++) packet[chance(packet.length)] = chance(256);
    const taken = kind === 2 ? packet : bytes;
    const isSound = coding.decode(chance(5) === 0 ? "G722" : "opus", chance(65_536), taken, (back, sound, wide) => {
      assert.ok(back === 0 || back === 1);
      assert.ok(sound.length <= 1_500 && wide!.length === 2 * sound.length);
    });
    if (!isSound) refused++;
  }
  assert.ok(refused > 100, `${refused}`);
  const [after] = encoded(coding, "opus", frames(1));
  coding.restart();
  assert.ok(coding.decode("opus", 0, after!, () => {}));
});

test("wishes of the other side bound what the encoder says", async (t) => {
  const { opus, coding } = await aPair();
  t.after(opus.free);
  const bytes = (wishes: Parameters<typeof coding.shape>[0]) => {
    coding.shape(wishes);
    return encoded(coding, "opus", frames(100)).map(({ length }) => length);
  };
  const usual = bytes({ fec: false });
  const little = bytes({ fec: false, maxBitrate: 8_000 });
  const sum = (of: number[]) => of.reduce((a, b) => a + b, 0);
  assert.ok(sum(little) < 0.7 * sum(usual), `${sum(little)} of ${sum(usual)}`);
  const constant = bytes({ fec: false, isConstant: true }).slice(10);
  assert.equal(new Set(constant).size, 1);
  assert.ok(Math.max(...bytes({ fec: true, maxBitrate: 510_000 })) <= FRAME_SAMPLES);
});
