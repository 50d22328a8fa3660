import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { openPageCall } from "#test/support/calls/page-call.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath, moveClock } from "#test/support/messaging/handset.ts";

type Call = {
  carrier_id: string;
  stage: string | null;
  microphone: string | null;
  outcome: string;
  said: { by: string; text: string }[];
  heard: string[];
};

test("a person plays a phone that is called", async (t) => {
  const api = await startParley(t, {}, ["api", "worker", "media"]);
  await aNoon(api);
  const { voiceAgentId } = await aVoiceAgent(api);
  let n = 0;

  const last = async (phone: string): Promise<Call | undefined> =>
    (await api.get(handsetPath(phone))).body.calls.at(-1) as Call | undefined;
  const act = (phone: string, call: string, body: object) =>
    api.post(`${handsetPath(phone)}/calls/${encodeURIComponent(call)}`, body);
  const ringing = async () => {
    const phone = `+1212453${1000 + n++}`;
    await api.put(handsetPath(phone), { behavior: "manual" });
    const placed = await api.post("/v1/voice/calls", {
      voice_agent_id: voiceAgentId,
      from_number: SENDER,
      to_number: phone,
    });
    assert.equal(placed.status, 201, JSON.stringify(placed.body));
    const call = await until("it rings", async () => {
      const found = await last(phone);
      return found?.stage === "ringing" && found;
    });
    const ends = (outcome: string) =>
      until(`it is ${outcome}`, async () => {
        const found = await last(phone);
        return found?.outcome === outcome && found;
      });
    return { phone, id: call.carrier_id, ends };
  };

  await t.test(
    "it rings until it is answered, and both sides are transcribed word by word until one hangs up",
    async () => {
      const { phone, id, ends } = await ringing();
      const early = await act(phone, id, { action: "speak", text: "Hello?" });
      assert.equal(early.status, 409, JSON.stringify(early.body));
      assert.equal((await act(phone, id, { action: "answer" })).status, 202);
      await until("the call is taken", async () => (await last(phone))?.stage === "talking");
      assert.equal((await act(phone, id, { action: "answer" })).status, 409);
      assert.equal((await act(phone, id, { action: "speak", text: "Who is this?" })).status, 202);
      const call = await until("the agent has answered", async () => {
        const found = await last(phone);
        const at = found?.said.findIndex(({ by }) => by === "handset") ?? -1;
        return at >= 0 && found!.said.slice(at + 1).some(({ by }) => by === "agent") && found;
      });
      assert.ok(call.said.some(({ by, text }) => by === "handset" && text === "Who is this?"));
      assert.equal((await act(phone, id, { action: "hang_up" })).status, 202);
      const ended = await ends("answered");
      assert.deepEqual([ended.stage, ended.heard.length > 0], [null, true]);
      assert.equal((await act(phone, id, { action: "hang_up" })).status, 409);
    },
  );

  await t.test("it is declined", async () => {
    const { phone, id, ends } = await ringing();
    assert.equal((await act(phone, id, { action: "decline" })).status, 202);
    await ends("declined");
  });

  await t.test("it is sent to the mailbox", async () => {
    const { phone, id, ends } = await ringing();
    assert.equal((await act(phone, id, { action: "voicemail" })).status, 202);
    await ends("voicemail");
  });

  await t.test("left to ring, it ends by the tenant's clock", async () => {
    const { ends } = await ringing();
    await moveClock(api, { advance_ms: 300_000 });
    await ends("no_answer");
  });

  await t.test("without speech-to-text it is answered in text alone", async () => {
    const { phone, id } = await ringing();
    assert.equal((await last(phone))?.microphone, null);
    const path = `${handsetPath(phone)}/calls/${id}/sound`;
    const page = await openPageCall(api.url, { "x-api-key": api.key }, path);
    assert.equal(await page.closed, 1008);
    assert.equal(page.received[0].error, "This call rings where there is no microphone: take it in text");
    await act(phone, id, { action: "decline" });
  });

  await t.test("what cannot be done is said", async () => {
    const { phone, id } = await ringing();
    for (const [body, field] of [
      [{}, "action"],
      [{ action: "sing" }, "action"],
      [{ action: "speak" }, "text"],
      [{ action: "speak", text: " " }, "text"],
    ] as const) {
      const answer = await act(phone, id, body);
      assert.deepEqual([answer.status, wrongFields(answer)], [400, [field]], JSON.stringify(body));
    }
    assert.equal((await act(phone, "sim_999999", { action: "answer" })).status, 404);
    assert.equal((await act(phone, "nonsense", { action: "answer" })).status, 404);
    await act(phone, id, { action: "decline" });
  });
});
