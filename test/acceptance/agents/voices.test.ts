import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley } from "#test/support/api/parley.ts";

test("voices", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sound = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${api.url}${path}`, { headers: { "x-api-key": api.key, ...headers } });
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
  };

  await t.test("the built-in voices are listed", async () => {
    const { status, body } = await api.get("/v1/voices");
    assert.equal(status, 200);
    const ids = body.voices.map((voice: { voice_id: string }) => voice.voice_id);
    assert.deepEqual(ids, ["offline-slt", "offline-rms", "offline-awb", "offline-kal"]);
  });

  await t.test("a voice sample is a WAV file, served whole or in part, slower on request", async () => {
    const path = "/v1/voices/offline-slt/sample?text=Good%20morning%2C%20it%20is%20Ava.";
    const { answer, bytes } = await sound(path);
    assert.equal(answer.status, 200, bytes.toString());
    assert.equal(answer.headers.get("content-type"), "audio/wav");
    assert.equal(bytes.subarray(0, 4).toString(), "RIFF");
    assert.equal(bytes.readUInt32LE(40), bytes.length - 44);
    assert.equal(bytes.readUInt16LE(22), 1);
    // Sound, not silence.
    const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length));
    assert.ok(samples.some((sample) => Math.abs(sample) > 3_000));
    const seconds = samples.length / bytes.readUInt32LE(24);
    assert.ok(seconds > 0.8 && seconds < 5, `${seconds} s`);
    const part = await sound(path, { range: "bytes=0-99" });
    assert.equal(part.answer.status, 206);
    assert.deepEqual(part.bytes, bytes.subarray(0, 100));
    const slow = await sound(`${path}&voice_speed=0.5`);
    assert.equal(slow.answer.status, 200, slow.bytes.toString());
    assert.ok(slow.bytes.length > bytes.length * 1.5);
  });

  await t.test("what cannot be spoken is refused", async () => {
    const unknown = await api.get("/v1/voices/offline-nobody/sample?text=Hi");
    assert.deepEqual([unknown.status, unknown.body.error], [404, "Voice not found"]);
    assert.deepEqual(wrongFields(await api.get("/v1/voices/offline-slt/sample")), ["text"]);
    assert.deepEqual(wrongFields(await api.get(`/v1/voices/offline-slt/sample?text=${"x".repeat(301)}`)), ["text"]);
    assert.deepEqual(wrongFields(await api.get("/v1/voices/offline-slt/sample?text=Hi&voice_speed=3")), [
      "voice_speed",
    ]);
    // A link's token opens recordings and nothing else.
    const linked = await fetch(`${api.url}/v1/voices/offline-slt/sample?text=Hi&token=abc`);
    assert.equal(linked.status, 401);
  });
});
