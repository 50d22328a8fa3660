import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutgoingText } from "#ports/sms-carrier.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import { aCarrier, accepted, aSending, drain, states, withCarrier } from "#test/support/messaging/sending.ts";
import { options, scenario, size } from "./scenario.ts";

const MINUTES = 60;

test("the carrier serves the account no more", async (t) => {
  const texts = size(options.texts, 1_200, 20_000);
  await scenario(t, "F44", "the account is suspended in the middle of a campaign, for an hour", async (t) => {
    const sending = await aSending(t, texts);
    let isSuspended = false;
    let refusals = 0;
    const carrier = aCarrier((text: OutgoingText) => {
      if (carrier.taken.size >= texts / 3 && refusals === 0) isSuspended = true;
      if (!isSuspended) return accepted(text);
      refusals++;
      return { outcome: "barred", because: "carrier_account_suspended", code: "30002" };
    });
    for (let minute = 0; minute < MINUTES; minute++)
      await drain(withCarrier(sending.ctx, carrier, minute * 60_000), sending.lane);
    const { body } = await sending.api.get(`/v1/campaigns/${sending.campaignId}`);
    assert.deepEqual([body.campaign.status, body.campaign.waiting_because], ["paused", "carrier_account_suspended"]);
    // What had been claimed when the word came; nothing is asked for again in the hour.
    const refused = refusals;
    const taken = carrier.taken.size;
    assert.ok(refused > 0 && refused <= texts - taken, `${refused} refusals`);

    isSuspended = false;
    await drain(withCarrier(sending.ctx, carrier, MINUTES * 60_000), sending.lane);
    assert.equal(carrier.taken.size, taken, "nothing leaves before a person has resumed");
    const resumed = await sending.api.post(`/v1/campaigns/${sending.campaignId}/resume`);
    assert.equal(resumed.body.campaign.status, "active");
    await drain(withCarrier(sending.ctx, carrier, MINUTES * 60_000), sending.lane);
    assert.deepEqual(await states(sending.client, "messages"), { accepted: texts });
    assert.equal(new Set([...carrier.taken.values()].map((text) => text.to)).size, texts);
    assert.equal(carrier.taken.size, texts, "each once");
    await assertLedger(sending.client);
    return {
      tried: { texts, minutes: MINUTES },
      found: { takenBefore: taken, refused, duplicates: 0, lost: 0 },
      says: `suspended after ${taken} of ${texts} texts: ${refused} refused once, the campaign paused with the reason, and all the others sent once when it was resumed.`,
    };
  });
});
