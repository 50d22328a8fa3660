import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeUlaw } from "#domain/calls/g711.ts";
import { type Parley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath } from "#test/support/messaging/handset.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { COMMON_ENV, startProcess } from "#test/support/processes/processes.ts";
import { heldAgain } from "#test/support/processes/standstill.ts";
import { aFolder } from "#test/support/source/folder.ts";

const WAV_HEADER_BYTES = 58;
type Said = { role: string; content: string; words: { word: string; start: number; end: number }[] };

test("a simulated call where no speech-to-text is installed", { timeout: 240_000 }, async (t) => {
  const dataDir = aFolder("handset");
  const env = {
    PARLEY_DATA_DIR: dataDir,
    PARLEY_SECRET_KEY: COMMON_ENV.PARLEY_SECRET_KEY!,
    PARLEY_SIMULATOR_CALLS: "auto",
    // Without it, wherever this runs.
    PARLEY_OFFLINE_SPEECH_TO_TEXT_CALLS: "0",
  };
  const api = (await startApiProcess(t, env)) as unknown as Parley;
  await startProcess(t, "media", { ...env, DATABASE_URL: api.databaseUrl });
  await aNoon(api);
  const { voiceAgentId } = await aVoiceAgent(api, { voice_id: "offline-slt", starting_message: "Hi, this is Ava." });
  let n = 0;
  const callTo = async (script: object) => {
    const phone = `+1212453${3000 + n++}`;
    await api.put(handsetPath(phone), script);
    const body = { voice_agent_id: voiceAgentId, from_number: SENDER, to_number: phone };
    const placed = await api.post("/v1/voice/calls", body);
    assert.equal(placed.status, 201, JSON.stringify(placed.body));
    return { phone, path: `/v1/voice/calls/${placed.body.call.call_id}` };
  };

  await t.test("it has a recording, the phone's own words with their times, and latencies", async (t) => {
    await heldAgain(t, async () => {
      const { path } = await callTo({ greeting: "Hello?", says: ["No thank you. Goodbye."] });
      const call = await until("it is over", async () => {
        const { body } = await api.get(path);
        return body.call.call_status === "ended" && body.call;
      });
      assert.equal(call.speech_to_text, "handset");
      const said = (call.transcript_object as Said[]).filter(({ role }) => role === "user");
      assert.equal(said.map(({ content }) => content).join(" "), "Hello? No thank you. Goodbye.");
      const words = said.flatMap((utterance) => utterance.words);
      assert.deepEqual(
        words.map(({ word }) => word),
        ["Hello?", "No", "thank", "you.", "Goodbye."],
      );
      for (const [i, { start, end }] of words.entries()) {
        assert.ok(start < end && end * 1_000 <= call.call_duration_ms, `${start} to ${end}`);
        assert.ok(start >= (words[i - 1]?.end ?? 0));
      }
      assert.ok(call.turns.length > 0 && call.latency.e2e.num > 0, JSON.stringify(call.latency));
      const recording = await fetch(`${api.url}${path}/recording`, { headers: { "x-api-key": api.key } });
      const wav = new Uint8Array(await recording.arrayBuffer()).subarray(WAV_HEADER_BYTES);
      const samples = new Int16Array(wav.length);
      decodeUlaw(wav, samples);
      const loudest = (side: 0 | 1) =>
        samples.reduce((most, sample, i) => (i % 2 === side ? Math.max(most, sample) : most), 0);
      assert.ok(loudest(0) > 3_000 && loudest(1) > 3_000, `both sides: ${loudest(0)}, ${loudest(1)}`);
    });
  });

  await t.test("no microphone is offered for it: what a person says nobody can transcribe", async () => {
    const { phone } = await callTo({ behavior: "manual" });
    const ringing = await until("it rings", async () => {
      const call = (await api.get(handsetPath(phone))).body.calls.at(-1);
      return call?.stage === "ringing" && call;
    });
    assert.equal(ringing.microphone, null);
  });
});
