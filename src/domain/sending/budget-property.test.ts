import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_SEGMENTS } from "#domain/messaging/segments.ts";
import {
  type BudgetedText,
  type BudgetFacts,
  comeBackAt,
  type DayUse,
  openBudget,
  outreachPerDay,
  roomOf,
  spend,
} from "./budget.ts";

// Numbers of one brand claim in any order, at any time, as several workers do: one after the other, since the budget is
// locked, but with nothing else in common. What left is then counted again, by another calendar.

type Text = BudgetedText & { at: number; tenDlc: string };
type Queue = { campaign: string; waiting: BudgetedText[] };
type Sender = { tenDlc: string; queues: Queue[] };
type World = { perMinute: number; perDay: number | null; brandPerDay: number; senders: Sender[] };

const BATCH = 50;

const pacific = new Intl.DateTimeFormat("en-CA", { timeZone: "America/Los_Angeles" });
const dayOf = (at: number): string => pacific.format(at);
const START = Date.parse("2026-11-01T02:00:00Z");

function run(world: World, steps: readonly { number: number; afterMs: number }[]): Text[] {
  let at = START;
  const sent: Text[] = [];
  const buckets = new Map<string, BudgetFacts["bucket"]>();
  const days = new Map<string, DayUse[]>();
  const putOff = new Map<BudgetedText, number>();
  const isDue = (text: BudgetedText) => (putOff.get(text) ?? 0) <= at;
  const due = (sender: Sender) => sender.queues.filter((queue) => queue.waiting.some(isDue));
  for (const { number, afterMs } of steps) {
    at += afterMs;
    const sender = world.senders[number % world.senders.length]!;
    const uses = days.get(dayOf(at)) ?? [];
    days.set(dayOf(at), uses);
    const facts: BudgetFacts = {
      tenDlcCampaignId: sender.tenDlc,
      grant: world,
      bucket: buckets.get(sender.tenDlc) ?? { tokens: 0, at: new Date(START) },
      uses,
      rivals: {
        waiting: world.senders.flatMap((sender) =>
          due(sender).map(({ campaign }) => ({ tenDlcCampaignId: sender.tenDlc, campaignId: campaign })),
        ),
        conversations: 0,
      },
    };
    const budget = openBudget(facts, new Date(at));
    const room = roomOf(budget, BATCH);
    const open = due(sender).filter((queue) => !room.excluded.includes(queue.campaign));
    const heads = open.map((queue) => firstOf(queue.waiting, isDue));
    const inTurns = Array.from({ length: BATCH }, (_, turn) => heads.flatMap((them) => them[turn] ?? [])).flat();
    const texts = inTurns.slice(0, room.outreach);
    const spent = spend(budget, texts);
    for (const [i, spending] of spent.spendings.entries()) {
      const text = texts[i]!;
      if (spending.outcome === "put_off") putOff.set(text, spending.until.getTime());
      if (spending.outcome !== "go") continue;
      sent.push({ ...text, at, tenDlc: sender.tenDlc });
      const queue = sender.queues.find((candidate) => candidate.campaign === text.campaignId)!;
      queue.waiting.splice(queue.waiting.indexOf(text), 1);
    }
    if (spent.uses.length > 0) buckets.set(sender.tenDlc, spent.bucket);
    for (const use of spent.uses) {
      const known = uses.find(
        (other) => other.campaignId === use.campaignId && other.tenDlcCampaignId === sender.tenDlc,
      );
      if (!known) uses.push({ tenDlcCampaignId: sender.tenDlc, ...use });
      else {
        known.outreach += use.outreach;
        known.conversation += use.conversation;
      }
    }
    const isStuck = texts.length === 0 && due(sender).length > 0 && comeBackAt(budget, room, spent) === null;
    assert.ok(!isStuck, "a claim that takes nothing of what is due comes back");
  }
  return sent;
}

function firstOf(waiting: readonly BudgetedText[], isDue: (text: BudgetedText) => boolean): BudgetedText[] {
  const found: BudgetedText[] = [];
  for (const text of waiting) if (found.length < BATCH && isDue(text)) found.push(text);
  return found;
}

const segmentsOf = (them: readonly Text[]): number => them.reduce((sum, text) => sum + text.segments, 0);

const aText = (campaignId: string, longest: number) =>
  fc.record({
    campaignId: fc.constant(campaignId),
    purpose: fc.constantFrom<BudgetedText["purpose"]>("start", "start", "drip", "reply"),
    segments: fc.integer({ min: 1, max: longest }),
  });

const aWorld = fc
  .record({
    perMinute: fc.integer({ min: 20, max: 300 }),
    perDay: fc.option(fc.integer({ min: 30, max: 200 })),
    brandPerDay: fc.integer({ min: 50, max: 300 }),
    shape: fc.array(
      fc.record({
        tenDlc: fc.constantFrom("C1", "C2"),
        campaigns: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .chain(({ shape, ...limits }) =>
    fc
      .tuple(
        ...shape.map(({ tenDlc, campaigns }, n) =>
          fc
            .tuple(
              ...campaigns.map((size, c) =>
                fc
                  .array(aText(`n${n}c${c}`, MAX_SEGMENTS), { minLength: size, maxLength: size })
                  .map((waiting) => ({ campaign: `n${n}c${c}`, waiting })),
              ),
            )
            .map((queues) => ({ tenDlc, queues })),
        ),
      )
      .map((senders): World => ({ ...limits, senders })),
  );

const steps = fc.array(
  fc.record({
    number: fc.nat(),
    afterMs: fc.oneof(
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 0, max: 20_000 }),
      fc.integer({ min: 0, max: 4 * 3_600_000 }),
    ),
  }),
  { minLength: 5, maxLength: 80 },
);

test("no 60 seconds of a 10DLC campaign and no Pacific day of a brand are ever over their budget", () => {
  fc.assert(
    fc.property(aWorld, steps, (world, todo) => {
      const sent = run(world, todo);
      for (const [i, { at, tenDlc }] of sent.entries()) {
        const minute = sent.filter((text, j) => j >= i && text.tenDlc === tenDlc && text.at < at + 60_000);
        assert.ok(segmentsOf(minute) <= world.perMinute);
      }
      for (const ofDay of Map.groupBy(sent, ({ at }) => dayOf(at)).values()) {
        assert.ok(segmentsOf(ofDay) <= world.brandPerDay);
        assert.ok(segmentsOf(ofDay.filter((text) => text.purpose !== "reply")) <= outreachPerDay(world.brandPerDay));
        for (const ofCampaign of Map.groupBy(ofDay, ({ tenDlc }) => tenDlc).values()) {
          assert.ok(segmentsOf(ofCampaign) <= (world.perDay ?? world.brandPerDay));
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("when a day is used up, no campaign that still waits has had less than another but for a text or two", () => {
  const world = fc.record({
    brandPerDay: fc.integer({ min: 60, max: 400 }),
    few: fc.integer({ min: 1, max: 40 }),
    longest: fc.integer({ min: 1, max: 3 }),
    split: fc.boolean(),
    order: fc.shuffledSubarray([0, 0, 0, 0, 0, 0, 0, 1, 2], { minLength: 9 }),
  });
  fc.assert(
    fc.property(world, ({ brandPerDay, few, longest, split, order }) => {
      const queue = (campaign: string, n: number): Queue => ({
        campaign,
        waiting: Array.from({ length: n }, (_, i) => ({
          campaignId: campaign,
          purpose: "start",
          segments: 1 + (i % longest),
        })),
      });
      const queues = [queue("large", 2_000), queue("small", few), queue("middle", 500)];
      const senders = split ? queues.map((queue) => ({ tenDlc: "C1", queues: [queue] })) : [{ tenDlc: "C1", queues }];
      // The large one's number claims seven times as often as each other.
      const todo = Array.from({ length: 20 }, () => order)
        .flat()
        .map((number) => ({ number, afterMs: 2_000 }));
      const sent = run({ perMinute: 4_500, perDay: null, brandPerDay, senders }, todo);
      assert.ok(segmentsOf(sent) > outreachPerDay(brandPerDay) - longest, "the day is used up");
      assert.ok(segmentsOf(sent) <= outreachPerDay(brandPerDay), "but for what is kept for conversations");
      const had = queues.map(({ campaign }) => segmentsOf(sent.filter((text) => text.campaignId === campaign)));
      for (const [i, { waiting }] of queues.entries()) {
        if (waiting.length > 0) assert.ok(had[i]! >= Math.max(...had) - 2 * longest, `${had} at ${brandPerDay}`);
      }
    }),
    { numRuns: 60 },
  );
});
