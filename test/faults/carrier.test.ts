import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "#operations/context.ts";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import type { DeliveryReceipt } from "#ports/sms-carrier.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import {
  aCarrier,
  accepted,
  aSending,
  drain,
  type FakeCarrier,
  phone,
  type Sending,
  states,
  withCarrier,
} from "#test/support/messaging/sending.ts";
import { seeded } from "./load.ts";
import { options, scenario, size } from "./scenario.ts";

// A carrier's failures are scripted in one in this process: it takes requests and answers as a real one would, and
// its own book says what it truly took. Time is the context's, so that an hour passes at once.

/** Past the settle time of a doubt. */
const LATER_MS = 5_000;
const HOUR_MS = 3_600_000;

const recover = (ctx: Context) => recoverAttempts(ctx, new AbortController().signal);

/** How often each phone's text is in the carrier's book: 1 is what everybody hopes for. */
function timesTaken(carrier: FakeCarrier): number[] {
  const counts = new Map<string, number>();
  for (const { to } of carrier.taken.values()) counts.set(to, (counts.get(to) ?? 0) + 1);
  return [...counts.values()];
}

/** Drains and recovers until nothing is open, each round some seconds later; how many rounds it took. */
async function untilSettled(sending: Sending, carrier: FakeCarrier): Promise<number> {
  for (let round = 1; round < 40; round++) {
    const ctx = withCarrier(sending.ctx, carrier, round * LATER_MS);
    await recover(ctx);
    await drain(ctx, sending.lane);
    const { rows } = await sending.client.query(
      "select count(*)::int as n from messages where state in ('scheduled', 'sending') and kind = 'start'",
    );
    if (rows[0].n === 0) return round;
  }
  throw new Error(`never settled: ${JSON.stringify(await states(sending.client, "messages"))}`);
}

test("a carrier misbehaves", async (t) => {
  const random = seeded(options.seed);
  const texts = size(options.texts, 400, 5_000);

  const wrongs = [
    // A timeout may come before or after it was taken; this 500 always after.
    {
      id: "F21",
      title: "its answer takes longer than anybody waits, for 5 % of the texts",
      share: 0.05,
      wasTaken: 0.5,
    },
    { id: "F22", title: "500 after it has accepted, for 20 % of the texts", share: 0.2, wasTaken: 1 },
  ];
  for (const { id, title, share, wasTaken } of wrongs) {
    await scenario(t, id, title, async (t) => {
      const sending = await aSending(t, texts);
      let doubted = 0;
      const carrier = aCarrier((text) => {
        if (random() >= share) return accepted(text);
        doubted++;
        return { outcome: "uncertain", code: random() < wasTaken ? "taken" : "timeout" };
      });
      await drain(withCarrier(sending.ctx, carrier), sending.lane);
      const rounds = await untilSettled(sending, carrier);
      const times = timesTaken(carrier);
      assert.deepEqual([times.length, Math.max(...times)], [texts, 1], "each text was taken exactly once");
      await assertLedger(sending.client);
      return {
        tried: { texts, doubted },
        found: { taken: carrier.taken.size, duplicates: 0, lost: 0, rounds },
        says: `${doubted} of ${texts} texts were in doubt; looked up, each had been or was then taken exactly once.`,
      };
    });
  }

  await scenario(t, "F21-batch", "it does not answer a whole batch, and the request is cut off", async (t) => {
    const sending = await aSending(t, 60);
    const good = aCarrier(accepted);
    let failures = 0;
    const carrier = {
      ...good,
      send: async (...args: Parameters<typeof good.send>) => {
        await good.send(...args);
        if (failures++ === 0) throw new DOMException("The operation timed out", "TimeoutError");
        return args[0].texts.map(accepted);
      },
    };
    await drain(withCarrier(sending.ctx, carrier), sending.lane);
    assert.deepEqual(await states(sending.client, "attempts"), { uncertain: 60 });
    await untilSettled(sending, carrier);
    assert.equal(good.taken.size, 60);
    await assertLedger(sending.client);
    return {
      tried: { texts: 60 },
      found: { taken: good.taken.size, duplicates: 0 },
      says: "a batch of 60 was taken and its answer never came; all were found, none was sent again.",
    };
  });

  await scenario(t, "F21-deaf", "it never answers a batch, and does not heed that nobody waits any more", async (t) => {
    const sending = await aSending(t, 60);
    const good = aCarrier(accepted, { answersWithinMs: 300 });
    let begun = 0;
    let mayStillLeave = true;
    const deaf: typeof good = {
      ...good,
      async send(batch, signal) {
        if (begun++ > 0) return good.send(batch, signal);
        await good.send({ ...batch, texts: batch.texts.slice(0, 30) }, signal);
        signal.addEventListener("abort", () => {
          mayStillLeave = batch.mayLeave() || batch.texts.some((text) => batch.mayLeave(text));
        });
        return new Promise(() => {});
      },
    };
    await drain(withCarrier(sending.ctx, deaf), sending.lane);
    assert.equal(mayStillLeave, false, "what it has not written by then it may not write any more");
    assert.deepEqual(await states(sending.client, "attempts"), { uncertain: 60 });
    await untilSettled(sending, deaf);
    const times = timesTaken(deaf);
    assert.deepEqual([times.length, Math.max(...times)], [60, 1]);
    await assertLedger(sending.client);
    return {
      tried: { texts: 60, taken: 30 },
      found: { taken: deaf.taken.size, duplicates: 0, lost: 0 },
      says: "a carrier that took half a batch and never said a word held nothing up: the batch was looked up, and each text was taken once.",
    };
  });

  await scenario(t, "F23", "a storm of 429 with Retry-After", async (t) => {
    const sending = await aSending(t, texts);
    let refusals = 0;
    let asked = 0;
    const carrier = aCarrier((text) => {
      asked++;
      if (random() >= 0.7) return accepted(text);
      refusals++;
      return { outcome: "not_sent", code: "429", retryAfterMs: 2_000 };
    });
    await drain(withCarrier(sending.ctx, carrier), sending.lane);
    const { rows } = await sending.client.query(
      "select min(due_at - updated_at) >= interval '1.9 seconds' as waits from messages where state = 'scheduled' and kind = 'start'",
    );
    assert.equal(rows[0].waits, true, "not before the carrier said");
    const rounds = await untilSettled(sending, carrier);
    assert.deepEqual([carrier.taken.size, Math.max(...timesTaken(carrier))], [texts, 1]);
    await assertLedger(sending.client);
    return {
      tried: { texts, refusals },
      found: { taken: carrier.taken.size, handedOver: asked, rounds, duplicates: 0, lost: 0 },
      says: `${refusals} refusals for ${texts} texts: none was asked for before its time, all were taken once.`,
    };
  });

  await scenario(t, "F23-lane", "429 for everything of one tenant, while another's texts go out", async (t) => {
    const [sending, other] = await Promise.all([aSending(t, 3_000), aSending(t, 300)]);
    let isStorm = true;
    const retryAfterMs = 10_000;
    const carrier = aCarrier((text) => (isStorm ? { outcome: "not_sent", code: "429", retryAfterMs } : accepted(text)));
    const calm = aCarrier(accepted);
    const asked: number[] = [];
    const reasons = new Set<string | null>();
    const times = 6;
    // A clock that only we move: however long a drain takes, the next one is within the same Retry-After.
    const begin = Date.now();
    const at = (aheadMs: number) => ({ ...withCarrier(sending.ctx, carrier), now: () => new Date(begin + aheadMs) });
    for (let time = 0; time < times; time++) {
      const before = carrier.handed.length;
      // Twice in each Retry-After: by its own job, and by whoever else enqueues one.
      for (const aheadMs of [0, 4_000]) await drain(at(time * (retryAfterMs + 1_000) + aheadMs), sending.lane);
      asked.push(carrier.handed.length - before);
      reasons.add((await sending.api.get(`/v1/campaigns/${sending.campaignId}`)).body.campaign.waiting_because);
      if (time === 0) await drain(withCarrier(other.ctx, calm), other.lane);
    }
    // Three batches are under way when the first answer comes; from then on one batch asks whether it is over.
    assert.ok(asked[0]! <= 1_500, `${asked}`);
    assert.ok(
      asked.slice(1).every((n) => n > 0 && n <= 500),
      `${asked}`,
    );
    assert.deepEqual([...reasons], ["provider_failing"]);
    assert.equal(calm.taken.size, 300, "the other tenant's lane is its own");
    isStorm = false;
    await drain(at(times * (retryAfterMs + 1_000)), sending.lane);
    assert.equal(carrier.taken.size, 3_000, "all at once, as soon as it is over");
    const { body } = await sending.api.get(`/v1/campaigns/${sending.campaignId}`);
    assert.equal(body.campaign.waiting_because, null);
    await assertLedger(sending.client);
    return {
      tried: { texts: 3_300, retryAfters: times },
      found: { askedEach: asked, taken: carrier.taken.size, others: calm.taken.size, duplicates: 0, lost: 0 },
      says: `3,000 texts in a storm of 429: ${asked.join(", ")} of them were tried in each Retry-After, and all left when it was over; 300 of another tenant did not wait.`,
    };
  });

  await scenario(t, "F24", "an outage of an hour, past the end of some campaigns' day", async (t) => {
    const sending = await aSending(t, 60);
    const ends = new Date(Date.now() + Number(await offsetOf(sending)) + HOUR_MS / 2);
    await sending.client.query(
      "update campaigns set end_at = $1 where id = (select campaign_id from messages limit 1)",
      [ends],
    );
    let isUp = false;
    let refusals = 0;
    const carrier = aCarrier((text) => {
      if (isUp) return accepted(text);
      refusals++;
      return { outcome: "not_sent", code: "connection_refused", retryAfterMs: 60_000 };
    });
    const rounds = 60;
    for (let minute = 0; minute <= rounds; minute++) {
      isUp = minute === rounds;
      await drain(withCarrier(sending.ctx, carrier, minute * 60_000), sending.lane);
    }
    assert.deepEqual(
      await states(sending.client, "messages"),
      { expired: 60 },
      "what would come too late is not sent at all",
    );
    assert.equal(carrier.taken.size, 0);

    const other = await aSending(t, 60);
    isUp = false;
    for (let minute = 0; minute <= rounds; minute++) {
      isUp = minute === rounds;
      await drain(withCarrier(other.ctx, carrier, minute * 60_000), other.lane);
    }
    assert.deepEqual(await states(other.client, "messages"), { accepted: 60 });
    assert.ok(refusals <= 60 * (rounds + rounds / 2 + 2), `${refusals} tries: it is asked once a minute, no tighter`);
    await assertLedger(sending.client);
    await assertLedger(other.client);
    return {
      tried: { texts: 120, minutes: rounds },
      found: { refusals, expired: 60, taken: carrier.taken.size, duplicates: 0 },
      says: "an hour without the carrier: 60 texts whose campaign ended meanwhile expired unsent, 60 others were sent once when it was back.",
    };
  });

  await scenario(
    t,
    "F29",
    "receipts three times over, shuffled, and before the answer of the call that sent",
    async (t) => {
      const sending = await aSending(t, 120);
      const final: DeliveryReceipt["status"][] = ["delivered", "undelivered", "failed"];
      const carrier = aCarrier(async (text) => {
        // Before the carrier has even answered.
        if (random() < 0.5) await recordReceipts(sending.ctx, sending.tenantId, [{ ref: text.ref, status: "sent" }]);
        return random() < 0.2 ? { outcome: "uncertain", code: "taken" } : accepted(text);
      });
      await drain(withCarrier(sending.ctx, carrier), sending.lane);
      const receipts = [...carrier.taken.keys()].flatMap((ref, i) =>
        (["sent", final[i % 3]!] as const).flatMap((status) =>
          [0, 1, 2].map(() => ({ ref, status, chance: random() })),
        ),
      );
      receipts.sort((a, b) => a.chance - b.chance);
      const parts = Array.from({ length: 12 }, (_, i) => receipts.filter((_, j) => j % 12 === i));
      await Promise.all(parts.map((part) => recordReceipts(sending.ctx, sending.tenantId, part)));
      assert.deepEqual(await states(sending.client, "messages"), { delivered: 40, failed: 40, undelivered: 40 });
      await recover(withCarrier(sending.ctx, carrier, LATER_MS));
      assert.equal(carrier.handed.length, 120);
      await assertLedger(sending.client);
      return {
        tried: { texts: 120, receipts: receipts.length },
        found: { delivered: 40, undelivered: 40, failed: 40, duplicates: 0 },
        says: `${receipts.length} receipts in any order, twelve batches at once: every text ended at its highest, none was sent again.`,
      };
    },
  );

  await scenario(t, "F30", "one inbound text three times at once", async (t) => {
    const sending = await aSending(t, 20);
    const carrier = aCarrier(accepted);
    await drain(withCarrier(sending.ctx, carrier), sending.lane);
    const contexts = [sending.ctx, sending.another(), sending.another()];
    const inbound = (i: number) => ({
      carrier: "simulator",
      carrierId: `in_${i}`,
      from: phone(i),
      to: SENDER,
      text: i % 4 === 0 ? "STOP" : "Yes, tell me more",
      sentAt: new Date(),
    });
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        contexts.map((ctx) => receiveMessage(ctx, sending.tenantId, inbound(i))),
      ).flat(),
    );
    const { rows } = await sending.client.query(
      `select (select count(*) from inbound_texts)::int as texts, (select count(*) from messages where direction = 'inbound')::int as messages,
         (select count(*) from messages where kind = 'confirmation')::int as confirmations`,
    );
    assert.deepEqual(rows[0], { texts: 20, messages: 20, confirmations: 5 });
    await assertLedger(sending.client);
    return {
      tried: { texts: 20, times: 3 },
      found: rows[0],
      says: "each of 20 texts came three times at once by three processes: one row, one message, one confirmation of a STOP each.",
    };
  });

  await scenario(t, "F33", "STOP, START, STOP within a second, in every order of arrival", async (t) => {
    const words = ["STOP", "START", "STOP"] as const;
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ];
    const sending = await aSending(t, orders.length);
    const carrier = aCarrier(accepted);
    await drain(withCarrier(sending.ctx, carrier), sending.lane);
    const sentAt = Date.now();
    for (const [i, order] of orders.entries()) {
      for (const n of order) {
        await receiveMessage(sending.ctx, sending.tenantId, {
          carrier: "simulator",
          carrierId: `word_${i}_${n}`,
          from: phone(i),
          to: SENDER,
          text: words[n]!,
          sentAt: new Date(sentAt + n * 300),
        });
      }
    }
    const { rows } = await sending.client.query(
      "select count(*)::int as n from consents where opted_out_at is not null",
    );
    assert.equal(rows[0].n, orders.length, "opted out, whatever came first");
    return {
      tried: { orders: orders.length },
      found: { optedOut: rows[0].n },
      says: `the last word was STOP: opted out in all ${orders.length} orders of arrival.`,
    };
  });
});

async function offsetOf({ client }: Sending): Promise<string> {
  return (await client.query("select clock_offset_ms from tenants where mode = 'test' limit 1")).rows[0]
    .clock_offset_ms;
}
