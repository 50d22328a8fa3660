import assert from "node:assert/strict";
import { test } from "node:test";
import { pocketsphinxInstalled } from "#adapters/offline-speech/speech-to-text.ts";
import { fliteVoice } from "#adapters/offline-speech/voice.ts";
import { spokenWhole } from "#media/audio/spoken.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { heldAgain } from "#test/support/processes/standstill.ts";
import { baresip } from "./baresip.ts";
import { locate, share } from "./likeness.ts";
import { spoken } from "./line.ts";
import { freePort, missing } from "./programs.ts";
import { recordingOf } from "./sip-service.ts";

const skip = missing("baresip") || (pocketsphinxInstalled() ? false : "pocketsphinx is not installed");
const NUMBER = "+12125550100";
const CALLER = "+12125550123";
const LIVE_KEY = "pk_live_bootstrap_0123456789abcdef0123456789abcdef";
const WORD = "Our office in Boston is closed on Friday.";
/** The agent greets and takes up the word before anybody speaks. */
const QUIET_MS = 8_000;
/** A network of one machine loses nothing but what it is to bring while that stands still; a telephone on a busy one sends late. */
const ALIKE = 0.9;

test("a call over a trunk of one line reaches the agent of its number, who says what a person injects and stops on request, and both sides are recorded", {
  skip,
}, async (t) => {
  const voice = fliteVoice();
  const options = { voiceId: "slt", language: "en-US", speed: 1, temperature: 1 };
  const { samples: word } = await spokenWhole(voice, WORD, options, AbortSignal.timeout(60_000));
  await voice.close();
  const source = await spoken(QUIET_MS, "Good morning to all of you.", 60_000);
  const [port, phonePort] = [await freePort(), await freePort()];
  // One call in all, and one a second: it is there already when it is asked whether there is room.
  const trunk = { name: "acme", host: "127.0.0.1", port: phonePort, maxCalls: 1, callsPerSecond: 1 };
  const more = { allowedAddresses: ["127.0.0.1"], keepAliveSeconds: 0, numbers: [NUMBER] };
  const api = await startParley(
    t,
    {
      PARLEY_BOOTSTRAP_API_KEY: LIVE_KEY,
      PARLEY_SIP_TRUNKS: JSON.stringify([{ ...trunk, ...more }]),
      PARLEY_SIP_PORT: String(port),
      PARLEY_RTP_PORTS: "31000-31998",
    },
    ["api", "worker", "media"],
  );
  const { organizationId, agentId } = await aVoiceAgent(api, { voice_id: "slt" });
  assert.equal((await api.post("/v1/voice/phone-numbers/purchase", { phone_number: NUMBER })).status, 201);
  const path = `/v1/voice/phone-numbers/${encodeURIComponent(NUMBER)}/update-agent`;
  const linked = await api.post(path, { agent_id: agentId });
  assert.equal(linked.status, 200, JSON.stringify(linked.body));

  await heldAgain(t, async (owner, machine) => {
    const begin = performance.now();
    const phone = await baresip(owner, { name: CALLER, port: phonePort, source });
    phone.command("dial", `sip:${NUMBER}@127.0.0.1:${port}`);
    const live = await until("the call goes on", async () => {
      const { calls } = (await api.get(`/v1/voice/calls?organization_id=${organizationId}`)).body;
      return calls[0]?.call_status === "ongoing" && calls[0];
    });
    assert.deepEqual([live.direction, live.from_number, live.to_number], ["inbound", CALLER, NUMBER]);
    const of = `/v1/voice/calls/${live.call_id}`;
    const over = () =>
      until("it is over", async () => {
        const found = (await api.get(of)).body.call;
        return found.call_status === "ended" && found.recording_url !== null && found;
      });
    // The line is free for the next.
    owner.after(async () => {
      await api.post(`${of}/stop`);
      await over();
    });
    assert.equal((await api.post(`${of}/inject`, { text: WORD })).status, 202);
    await until("it is heard", async () => locate(word, phone.heard()).likeness > ALIKE);
    // And two seconds in which the telephone speaks.
    await until("it has spoken", async () => phone.heard().length > 8 * (QUIET_MS + 2_000));
    assert.equal((await api.post(`${of}/stop`)).status, 200);
    const call = await over();
    assert.equal(call.disconnection_reason, "manual_stopped");
    assert.ok(call.transcript.includes(WORD), call.transcript);
    await until("the telephone knows", async () => phone.events.some(({ type }) => type === "CALL_CLOSED"));

    const [recorded, heard] = [await recordingOf(api, live.call_id), phone.heard()];
    const still = await machine.between(begin, performance.now());
    const alike = { theirs: share(phone.played(), recorded.contact), ours: share(recorded.agent, heard) };
    t.diagnostic(JSON.stringify({ ...alike, still }));
    for (const [side, { likeness, missedMs }] of Object.entries(alike))
      assert.ok(likeness > ALIKE || missedMs <= still.ms, `${side}: ${likeness}, ${missedMs} ms are missed`);
    assert.ok(locate(word, heard).likeness > ALIKE, "the word, whole");
  });
});
