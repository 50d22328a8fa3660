import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { campaignOf, gets, moveClock, quiet, textsTo, threadOf, traffic } from "#test/support/messaging/handset.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test("a campaign made at night is held with the rule, and leaves when the hours open", async (t) => {
  const api = await startParley(t);
  // Three at night in New York, a weekday.
  await moveClock(api, { to: new Date((await aNoon(api)).getTime() + 14 * HOUR_MS).toISOString() });
  const phone = "+12124510001";
  const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: phone }] });
  const held = await until("the text is held", async () => {
    const [message] = (await threadOf(api, phone, campaignId)).messages;
    return message.state === "held" && message;
  });
  assert.equal(held.rule, "us_hours");
  assert.equal(localTime(held.scheduled_for, "America/New_York").clock, "09:00");
  const waiting = await campaignOf(api, campaignId);
  assert.deepEqual([waiting.waiting_because, waiting.counts.held], ["calling_hours", 1]);

  const opening = Date.parse(held.scheduled_for);
  await moveClock(api, { to: new Date(opening - 5 * MINUTE_MS).toISOString() });
  await quiet(api);
  assert.deepEqual(await textsTo(api, phone), []);
  await moveClock(api, { to: held.scheduled_for });
  assert.equal((await gets(api, phone, 1)).length, 1);
  const [text] = await textsTo(api, phone);
  assert.ok(Date.parse(text!.at) >= opening);
  assert.equal((await traffic(api)).outside_window, 0);
});

test("an answer leaves at any hour, for the contact has asked", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const phone = "+12124510002";
  await aCampaign(api, { contacts: [{ phone_number: phone }], agent: { reply_delay_ms: 0 } });
  await gets(api, phone, 1);
  await moveClock(api, { advance_ms: 12 * HOUR_MS });
  await api.post(`/v1/simulator/handsets/${encodeURIComponent(phone)}/messages`, {
    to: "+12125550100",
    text: "Who is this?",
  });
  assert.equal((await gets(api, phone, 2)).length, 2);
});

/** A phone with all the zones that it may be in. */
const PLACES: { phone: string; zones: string[]; more?: object }[] = [
  { phone: "+12124510003", zones: ["America/New_York"] },
  { phone: "+13124510003", zones: ["America/Chicago"] },
  { phone: "+14154510003", zones: ["America/Los_Angeles"] },
  { phone: "+16024510003", zones: ["America/Phoenix"] },
  { phone: "+18084510003", zones: ["Pacific/Honolulu"] },
  { phone: "+13174510003", zones: ["America/Indiana/Indianapolis"] },
  { phone: "+17874510003", zones: ["America/Puerto_Rico"] },
  // Two zones, and an exchange that nobody has.
  { phone: "+18505550151", zones: ["America/New_York", "America/Chicago"] },
  // The contact's own word is surer than the number.
  { phone: "+12124510004", zones: ["Pacific/Honolulu"], more: { time_zone: "Pacific/Honolulu" } },
];

for (const [name, sunday] of [
  ["spring", { month: 2, nth: 2 }],
  ["autumn", { month: 10, nth: 1 }],
] as const) {
  test(`drips of day 1, 3 and 7 across the ${name} Sunday arrive once each, all within their hours`, async (t) => {
    const api = await startParley(t);
    const { body: clock } = await api.get("/v1/simulator/clock");
    const change = sundayOf(new Date(clock.now), sunday);
    // The Friday before it, shortly after nine in New York: the last of the nine places opens hours later.
    await moveClock(api, { to: new Date(change.getTime() - 2 * DAY_MS + 14.2 * HOUR_MS).toISOString() });
    const { campaignId } = await aCampaign(api, {
      contacts: PLACES.map(({ phone, more }) => ({ phone_number: phone, ...more })),
      agent: {
        starting_message: "Day 0",
        drip_schedule: [1, 3, 7].map((day) => ({ day, message: `Day ${day}` })),
      },
    });

    await runUntilCompleted(api, campaignId);

    for (const { phone, zones } of PLACES) {
      const texts = await textsTo(api, phone);
      assert.deepEqual(
        texts.map((text) => text.text),
        ["Day 0", "Day 1", "Day 3", "Day 7"],
        phone,
      );
      for (const { text, at } of texts) {
        for (const zone of zones) {
          const { weekday, clock: time } = localTime(at, zone);
          const opens = weekday === "Sun" ? "12:00" : "09:00";
          assert.ok(time >= opens && time < "20:00", `${text} reached ${phone} on ${weekday} at ${time} in ${zone}`);
        }
      }
      const daysLater = texts.map((text) => (Date.parse(text.at) - Date.parse(texts[0]!.at)) / DAY_MS);
      for (const [i, day] of [0, 1, 3, 7].entries()) {
        assert.ok(
          daysLater[i]! >= day && daysLater[i]! < day + 1.5,
          `${phone} got day ${day} after ${daysLater[i]} days`,
        );
      }
    }
    const { accepted, distinct, duplicates, outside_window } = await traffic(api, campaignId);
    assert.deepEqual(
      { accepted, distinct, duplicates, outside_window },
      {
        accepted: 4 * PLACES.length,
        distinct: 4 * PLACES.length,
        duplicates: 0,
        outside_window: 0,
      },
    );
  });
}

test("a clock that jumps past days of drips sends none of them at night", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const phones = PLACES.map((place) => place.phone);
  const { campaignId } = await aCampaign(api, {
    contacts: PLACES.map(({ phone, more }) => ({ phone_number: phone, ...more })),
    agent: { drip_schedule: [1, 3, 7].map((day) => ({ day, message: `Day ${day}` })) },
  });
  await moveClock(api, { advance_ms: 3 * HOUR_MS });
  for (const phone of phones) await gets(api, phone, 1);
  // Three at night in Honolulu, and nine in the morning in New York: some may be reached, most may not.
  for (let day = 0; day < 9; day++) {
    await moveClock(api, { advance_ms: 16 * HOUR_MS });
    await quiet(api);
    await moveClock(api, { advance_ms: 8 * HOUR_MS });
    await quiet(api);
  }
  const { accepted, duplicates, outside_window } = await traffic(api, campaignId);
  assert.deepEqual([accepted, duplicates, outside_window], [4 * PLACES.length, 0, 0]);
});

/** Moves the clock to each next moment at which something is due, until nothing waits. */
async function runUntilCompleted(api: Parley, campaignId: string): Promise<void> {
  const client = new pg.Client(api.databaseUrl);
  await client.connect();
  try {
    for (let moves = 0; moves < 300; moves++) {
      await quiet(api);
      const { rows } = await client.query<{ ms: number | null }>(
        `select (1000 * extract(epoch from min(next_due_at - now()) - min(clock_offset_ms) * interval '1 millisecond'))::float8 as ms
         from lanes join tenants on tenants.id = tenant_id`,
      );
      const { ms } = rows[0]!;
      if (ms === null) break;
      await moveClock(api, { advance_ms: Math.max(0, Math.ceil(ms)) });
    }
  } finally {
    await client.end();
  }
  await until("the campaign completes", async () => (await campaignOf(api, campaignId)).status === "completed");
}

/** Midnight UTC of the next such Sunday that is a week ahead or more. */
function sundayOf(now: Date, { month, nth }: { month: number; nth: number }): Date {
  for (let year = now.getUTCFullYear(); ; year++) {
    const first = new Date(Date.UTC(year, month, 1));
    const sunday = new Date(Date.UTC(year, month, 1 + ((7 - first.getUTCDay()) % 7) + 7 * (nth - 1)));
    if (sunday.getTime() - now.getTime() > 7 * DAY_MS) return sunday;
  }
}

function localTime(at: string, timeZone: string): { weekday: string; clock: string } {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(new Date(at));
  const part = (type: string) => parts.find((part) => part.type === type)!.value;
  return { weekday: part("weekday"), clock: `${part("hour")}:${part("minute")}` };
}
