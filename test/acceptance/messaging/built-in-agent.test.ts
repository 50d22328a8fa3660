import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { gets, moveClock, quiet, says, textsTo, threadOf } from "#test/support/messaging/handset.ts";

const DAY_MS = 86_400_000;
const AGENT = {
  agent_name: "Mia",
  prompt:
    "You are Mia from Acme Dental. Find out which day and time suits them, and whether they have insurance. A check-up costs 80 dollars.",
  starting_message: "Hi, this is Mia from Acme Dental. Which day and time would suit you?",
  extraction_fields: [
    { name: "appointment_time", description: "The day and time that suits them" },
    { name: "has_insurance", type: "boolean", description: "Whether they have insurance" },
  ],
  drip_schedule: [{ day: 1, message: "Still there?" }],
  reply_delay_ms: 0,
};

type Message = { kind: string; state: string; text: string };

test("the agent that needs no model, in the running service", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  let n = 0;
  const begun = async () => {
    const at = `+1212457${1000 + n++}`;
    const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: at, first_name: "Ann" }], agent: AGENT });
    await gets(api, at, 1);
    return { at, campaignId, thread: () => threadOf(api, at, campaignId) };
  };

  await t.test("bad news gets sympathy and no question, ends the follow-ups and waits for a person", async () => {
    const { at, thread } = await begun();
    await says(api, at, "My husband passed away last week, I can't think about this now");
    const [, answer] = await gets(api, at, 2);
    assert.match(answer!, /sorry/);
    assert.doesNotMatch(answer!, /\?|unsubscribed/);
    await quiet(api);
    const { state, person_wanted_at, messages } = await thread();
    assert.deepEqual([state, typeof person_wanted_at], ["completed", "string"]);
    assert.equal(messages.find(({ kind }: Message) => kind === "drip").state, "suppressed");
    await moveClock(api, { advance_ms: 2 * DAY_MS });
    await quiet(api);
    assert.equal((await textsTo(api, at)).length, 2);
  });

  for (const text of ["My husband died. Please stop", "He passed away last year", "My wife just died, please dont"]) {
    await t.test(`"${text}" is an opt-out, which is confirmed with a word of sympathy`, async () => {
      const { at, thread } = await begun();
      await says(api, at, text);
      const [, answer] = await gets(api, at, 2);
      assert.match(answer!, /^We are very sorry to hear that\. You are unsubscribed from Acme/);
      assert.equal((await thread()).state, "opted_out");
    });
  }

  await t.test("a value that was extracted already is corrected, and the answer says so", async () => {
    const { at, campaignId } = await begun();
    const kept = (value: RegExp) =>
      until("it is extracted", async () => {
        const { extraction } = (await api.get(`/v1/sms/extractions/${encodeURIComponent(at)}_${campaignId}`)).body;
        return value.test(extraction?.extracted_fields.appointment_time ?? "");
      });
    await says(api, at, "tomorrow at 9am");
    await gets(api, at, 2);
    await kept(/09:00$/);
    await says(api, at, "Sorry, I meant tomorrow at 2pm");
    assert.match((await gets(api, at, 3))[2]!, /\b2:00 PM\b.*insurance\?$/);
    await kept(/14:00$/);
  });
});
