import assert from "node:assert/strict";
import { test } from "node:test";
import { startLanguageModelServer } from "#test/support/agents/language-model-server.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath, moveClock } from "#test/support/messaging/handset.ts";

const PHONE = "+12125550130";
const TROUBLE = /technical trouble on my end, so we'll call you back/;

test("a call whose models are away", async (t) => {
  const [first, second] = [await startLanguageModelServer(), await startLanguageModelServer()];
  t.after(() => Promise.all([first.close(), second.close()]));
  const env = {
    PARLEY_LLM_BASE_URL: first.url,
    PARLEY_LLM_MODEL: "first",
    PARLEY_LLM_FALLBACK_BASE_URL: second.url,
    PARLEY_LLM_FALLBACK_MODEL: "second",
  };
  const api = await startParley(t, env, ["api", "worker", "media"]);
  await aNoon(api);
  const { voiceAgentId } = await aVoiceAgent(api);
  await api.put(handsetPath(PHONE), { behavior: "answer", says: ["Yes, go ahead."] });
  const heard = async (): Promise<string[]> => {
    const { calls } = (await api.get(handsetPath(PHONE))).body;
    return calls.map((call: { heard: string[] }) => call.heard.join(" "));
  };

  await t.test(
    "the second model answers, behind one sentence; where it fails too a promised callback is made",
    async () => {
      first.behave({ kind: "status", status: 500 });
      second.behave({ kind: "status", status: 503 });
      const { status, body } = await api.post("/v1/voice/campaigns", {
        campaign_id: "trouble",
        leads: [{ phone_number: PHONE, first_name: "Ann" }],
        voice_agent_id: voiceAgentId,
        agent_outbound_number: SENDER,
      });
      assert.equal(status, 202, JSON.stringify(body));
      const [call] = await until("it was called", async () => {
        const calls = await heard();
        return calls.length === 1 && TROUBLE.test(calls[0]!) && calls;
      });
      assert.match(call!, /Sorry, give me just a second\. I'm sorry, I'm having technical trouble/);
      const { call_scheduled_time } = await until("a callback is planned", async () => {
        const { leads } = (await api.get("/v1/voice/campaigns/trouble/leads")).body;
        return leads[0].call_scheduled_time && leads[0];
      });
      second.behave({ kind: "answer", text: "Good to hear you again." });
      await moveClock(api, { to: call_scheduled_time });
      const back = await until("it was called back", async () => {
        const calls = await heard();
        return calls.length === 2 && calls.find((call) => call.includes("Good to hear you again."));
      });
      assert.doesNotMatch(back, TROUBLE);
    },
  );
});
