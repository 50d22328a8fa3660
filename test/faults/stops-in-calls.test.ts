import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { moveClock, threadOf } from "#test/support/messaging/handset.ts";
import { assertPromises } from "./checkers.ts";
import { callsOf, callThem, idleSpeechToText, phonesTake, withSound } from "./live-calls.ts";
import { aRun, drained, newPhones, noon, say } from "./load.ts";
import { promised, scenario, wants } from "./scenario.ts";
import { startWorld, type World } from "./world.ts";

/** From the commit of a STOP by text to the end of the call that goes on: docs/consent.md. */
const ENDS_WITHIN_MS = promised(2_000);
const DAY_MS = 86_400_000;
/** More than a noon is before the next one of a weekday (`callThem`), less than is waited for then. */
const DRIP_DAY = 4;
/** How long those talk who are called. */
const TALK_MS = 1_000;

const stoppedAt = async (world: World, phone: string): Promise<number> =>
  (await world.sql<{ at: Date }>("select at from faults.stops where phone = $1", [phone]))[0]!.at.getTime();

/** What a phone got after it had said STOP, by the purpose of each text. */
const textsAfterStop = async (world: World, phone: string): Promise<string[]> =>
  (
    await world.sql<{ purpose: string }>(
      `select purpose from simulator_texts text where handset = $1 and direction = 'to_handset'
         and seq > (select min(seq) from simulator_texts where handset = $1 and direction = 'from_handset' and text = 'STOP')`,
      [phone],
    )
  ).map(({ purpose }) => purpose);

const dialsOf = (world: World, phone: string) =>
  world.sql<{ purpose: string; state: string; reason: string | null }>(
    "select purpose, state, reason from dials where phone = $1",
    [phone],
  );

const callsTo = async (world: World, phone: string): Promise<number> =>
  (await world.sql("select from simulator_calls where handset = $1", [phone])).length;

test("STOPs of contacts who are on the phone, or are to be called", async (t) => {
  if (!wants("F34", "F34-queued")) return;
  const world = await startWorld(t, { workers: 1, env: withSound(await idleSpeechToText(t)) });
  await noon(world);

  await scenario(t, "F34", "a STOP by text while its contact is on the phone", async () => {
    const [phone, other] = newPhones(world, 2) as [string, string];
    // What makes the number one that is texted from: elsewhere a STOP is obeyed and not confirmed.
    await aRun(world, {
      phones: [phone, other],
      agent: { drip_schedule: [{ day: DRIP_DAY, message: "Still there?" }] },
    });
    await drained(world);
    await phonesTake(world, [phone, other]);
    const media = await world.startMedia();
    const campaignId = await callThem(world, [phone, other]);
    const ongoing = async () => (await callsOf(world, campaignId)).filter(({ status }) => status === "ongoing");
    await until("both are on the phone", async () => (await ongoing()).length >= 2);
    await say(world, phone, "STOP");
    // At the phone: the carrier's records have no real time of it.
    await until("the phone is on the hook", async () => {
      const rows = await world.sql("select from simulator_calls where handset = $1 and ended_at is not null", [phone]);
      return rows.length === 1;
    });
    const endedMs = Date.now() - (await stoppedAt(world, phone));
    assert.ok(endedMs < ENDS_WITHIN_MS, `the call went on for ${endedMs} ms`);
    const call = await until("its record has ended", async () =>
      (await callsOf(world, campaignId)).find((call) => call.phone === phone && call.status === "ended"),
    );
    assert.deepEqual(
      (await ongoing()).map((call) => call.phone),
      [other],
      "nobody else's call is ended",
    );
    await say(world, other, "STOP");
    await until("the other has ended too", async () => (await ongoing()).length === 0);
    await drained(world);
    await moveClock(world.api, { advance_ms: (DRIP_DAY + 1) * DAY_MS });
    await noon(world);
    await drained(world);
    assert.deepEqual(await textsAfterStop(world, phone), ["confirmation"]);
    assert.equal(await callsTo(world, phone), 1, "it is not called again");
    const found = await assertPromises(world);
    await media.kill("SIGTERM");
    return {
      tried: { calls: 2 },
      found: { ...found, endedMs, reason: call.reason },
      says: `a STOP by text ended the live call ${endedMs} ms after its commit; one confirmation followed, and nothing else when its follow-up would have been due.`,
    };
  });

  await scenario(t, "F34-queued", "a STOP while the call that its contact asked for is queued", async () => {
    const [phone, control, late] = newPhones(world, 3) as [string, string, string];
    const { campaignId } = await aRun(world, {
      phones: [phone, control, late],
      agent: { drip_schedule: [], reply_delay_ms: 0 },
      campaign: async ({ organizationId, userId }) => {
        const { voiceAgentId } = await aVoiceAgent(world.api, { organization_id: organizationId, user_id: userId });
        return { enable_sms_to_voice: true, voice_agent_id: voiceAgentId, outbound_number: "+12125550199" };
      },
    });
    await drained(world);
    await phonesTake(world, [phone, control, late], TALK_MS);
    const asksForACall = async (contact: string) => {
      await say(world, contact, "Can you call me now?");
      await until("a call is planned", async () => (await threadOf(world.api, contact, campaignId)).call !== null);
    };
    await asksForACall(phone);
    await asksForACall(control);
    await drained(world);
    await say(world, phone, "STOP");
    await drained(world);
    assert.deepEqual(await dialsOf(world, phone), [{ purpose: "transfer", state: "suppressed", reason: "opted_out" }]);
    const media = await world.startMedia();
    await until("the other's call is placed", async () => (await callsTo(world, control)) === 1);
    await moveClock(world.api, { advance_ms: 2 * DAY_MS });
    await noon(world);
    // Whatever was due for the phone would have been placed by the time that this one is.
    await asksForACall(late);
    await until("a call of that day is placed", async () => (await callsTo(world, late)) === 1);
    await until("both have hung up", async () => {
      const dials = [...(await dialsOf(world, control)), ...(await dialsOf(world, late))];
      return dials.every(({ state }) => state === "done");
    });
    await drained(world);
    assert.equal(await callsTo(world, phone), 0);
    assert.deepEqual(await textsAfterStop(world, phone), ["confirmation"]);
    const found = await assertPromises(world);
    await media.kill("SIGTERM");
    return {
      tried: { planned: 3 },
      found,
      says: "a call that waited for a media node was taken back by the STOP: two days later the phone has not rung, the two others have.",
    };
  });
});
