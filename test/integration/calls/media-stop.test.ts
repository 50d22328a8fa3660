import assert from "node:assert/strict";
import { test } from "node:test";
import { startMedia } from "#app/roles/media.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent, phone } from "#test/support/calls/calling.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath, moveClock } from "#test/support/messaging/handset.ts";

/** Long enough for a call to come to its end meanwhile, on a slow machine too. */
const GRACE_MS = 10_000;

test("a media node that stops dials no more, lets its calls go on for their grace, and then ends them in order", async (t) => {
  const api = await startParley(
    t,
    {
      PARLEY_SIMULATOR_CALLS: "text",
      PARLEY_SIMULATOR_CALL_PACE: "clock",
      PARLEY_CALL_GRACE_MS: String(GRACE_MS),
    },
    ["api", "worker"],
  );
  await aNoon(api);
  const { voiceAgentId, organizationId } = await aVoiceAgent(api, { end_call_after_silence_ms: 600_000 });
  const [brief, long, waiting] = [phone(1), phone(2), phone(3)];
  for (const contact of [brief, long, waiting]) {
    const more = contact === long ? {} : { hangs_up_after_ms: 6_000 };
    await api.put(handsetPath(contact), { behavior: "silent", answer_delay_ms: 0, ...more });
  }
  const { body } = await api.post("/v1/voice/campaigns", {
    leads: [brief, long].map((phone_number) => ({ phone_number })),
    voice_agent_id: voiceAgentId,
    agent_outbound_number: SENDER,
    max_concurrent_calls: 2,
    redial_enabled: true,
  });
  const calls = async () => {
    const listed = (await api.get(`/v1/voice/calls?organization_id=${organizationId}`)).body.calls;
    return new Map<string, string>(
      listed.map((call: Record<string, string>) => [
        call.to_number,
        call.call_status === "ended" ? call.disconnection_reason : call.call_status,
      ]),
    );
  };
  const media = await startMedia(api.config, api.databaseUrl);
  await until("two are on the phone", async () => [...(await calls()).values()].join() === "ongoing,ongoing");
  await api.post(`/v1/voice/campaigns/${body.campaign_id}/leads`, { leads: [{ phone_number: waiting }] });
  const stopping = media.stop();
  let isOver = false;
  void stopping.then(() => {
    isOver = true;
  });
  await moveClock(api, { advance_ms: 6_000 });
  await until("the brief one comes to its end", async () => (await calls()).get(brief) === "user_hangup");
  assert.deepEqual([isOver, (await calls()).get(long)], [false, "ongoing"]);
  await stopping;
  assert.deepEqual([...(await calls())].sort(), [
    [brief, "user_hangup"],
    [long, "agent_hangup"],
  ]);
  const left = (await api.get(`/v1/voice/campaigns/${body.campaign_id}`)).body.campaign;
  assert.deepEqual([left.status, left.pending_calls, left.calls_in_progress], ["running", 1, 0]);

  const next = await startMedia(api.config, api.databaseUrl);
  try {
    await until("another node takes up what waits", async () => (await calls()).get(waiting) === "ongoing");
    await moveClock(api, { advance_ms: 10_000 });
    await until("and brings it to its end", async () => (await calls()).get(waiting) === "user_hangup");
    assert.equal((await calls()).size, 3, "nobody was called again");
  } finally {
    await next.stop();
  }
});
