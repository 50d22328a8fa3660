import { type Random, seeded } from "./random.ts";

/** What phones say, by what it means to the service. */
export const WORDS = {
  stop: "STOP",
  please: "please stop texting me",
  start: "START",
  help: "HELP",
  // Numbered, so that each answer can be distinguished from all others.
  chat: "Tell me more about number",
} as const;
export type Word = keyof typeof WORDS;

/** When races are likeliest: a claim is under way, or has just been committed. */
export const MOMENTS = { any: undefined, claiming: "claim-candidates", claimed: "claim-start-attempts" } as const;
export type Moment = keyof typeof MOMENTS;

/** Something that people do: `gap` steps after the one before, and then at the next such moment. */
export type Event = { gap: number; at: Moment } & (
  | { kind: "create" | "leads"; campaign: string; phones: readonly string[]; endsAfterMs?: number }
  | { kind: "pause" | "resume" | "delete"; campaign: string }
  | { kind: "text"; phone: string; word: Word; onTheWayMs: number; copies: number }
);

export const FAULTS = ["kill", "lose_machine", "pause", "sever", "lose_session", "deadlock"] as const;
/**
 * Something that breaks in whatever process is at work then: before a commit, before it learns of one, while it waits for the
 * carrier's answer, or at any step.
 */
export type Fault = { gap: number; kind: (typeof FAULTS)[number]; at: "commit" | "committed" | "handed" | "any" };

export const CARRIERS = ["looks_up", "calls_back", "mute"] as const;

/** Everything about a run but the order of its steps: plain data, fit to be printed and to be made smaller. */
export type Plan = {
  /** When the run begins, in UTC: any hour of the week, now and then the night of a change to or from summer time. */
  beginsAt: string;
  carrier: (typeof CARRIERS)[number];
  ratePerSecond: number | null;
  workers: number;
  drips: readonly number[];
  events: readonly Event[];
  faults: readonly Fault[];
};

/** New York, Los Angeles, Phoenix, Honolulu, Chicago: windows that open one after the other. */
const AREAS = ["212", "213", "602", "808", "312"];
const YEAR = 2031;
/** Both changes of that year are at two in the morning of these days. */
const CLOCK_CHANGES = [Date.UTC(YEAR, 2, 9, 4), Date.UTC(YEAR, 10, 2, 3)];
const DAY_MS = 86_400_000;

export function planOf(seed: number): Plan {
  const random = seeded(seed, "plan");
  const phones = Array.from({ length: random.int(2, 5) }, (_, i) => `+1${random.pick(AREAS)}444${1000 + i * 7}`);
  const events = eventsOf(random, phones);
  const faultCount = random.pick([0, 1, 2, 4, 8]);
  const faults = Array.from({ length: faultCount }, (): Fault => {
    const draw = random.next();
    const kind =
      draw < 0.3
        ? "kill"
        : draw < 0.45
          ? "lose_machine"
          : draw < 0.7
            ? "pause"
            : draw < 0.8
              ? "sever"
              : draw < 0.93
                ? "lose_session"
                : "deadlock";
    return { gap: random.int(0, 120), kind, at: random.pick(["commit", "committed", "handed", "any"]) };
  });
  const begin = random.chance(0.2)
    ? random.pick(CLOCK_CHANGES) + random.int(0, DAY_MS)
    : Date.UTC(YEAR, 0, 1) + random.int(0, 364 * DAY_MS);
  const draw = random.next();
  return {
    beginsAt: new Date(begin).toISOString(),
    carrier: draw < 0.7 ? "looks_up" : draw < 0.85 ? "calls_back" : "mute",
    ratePerSecond: random.pick([null, null, 2, 20]),
    workers: random.pick([1, 2, 2, 3]),
    drips: random.pick([[], [1], [1, 2]]),
    events,
    faults,
  };
}

function eventsOf(random: Random, phones: readonly string[]): Event[] {
  const some = () => phones.filter(() => random.chance(0.7));
  const events: Event[] = [{ gap: 0, at: "any", kind: "create", campaign: "a", phones }];
  const when = () => ({
    gap: random.pick([random.int(0, 15), random.int(0, 60), random.int(0, 150)]),
    at: random.pick<Moment>(["any", "any", "claiming", "claimed"]),
  });
  const count = random.int(3, 9);
  const made = ["a"];
  for (let i = 0; i < count; i++) {
    const campaign = random.pick(made);
    const draw = random.next();
    if (draw < 0.62) {
      const word = random.pick<Word>(["stop", "stop", "stop", "please", "start", "start", "help", "chat", "chat"]);
      const onTheWayMs = random.pick([0, 0, 0, random.int(0, 2_000), random.int(0, 60_000)]);
      const copies = random.pick([1, 1, 1, 2, 3]);
      events.push({ ...when(), kind: "text", phone: random.pick(phones), word, onTheWayMs, copies });
    } else if (draw < 0.72 && made.length === 1) {
      made.push("b");
      const endsAfterMs = random.chance(0.3) ? random.int(1, 72) * 3_600_000 : undefined;
      events.push({
        ...when(),
        kind: "create",
        campaign: "b",
        phones: [...some(), phones[0]!],
        ...(endsAfterMs ? { endsAfterMs } : {}),
      });
    } else if (draw < 0.8) events.push({ ...when(), kind: "leads", campaign, phones: [...some(), phones[0]!] });
    else if (draw < 0.88) events.push({ ...when(), kind: "pause", campaign });
    else if (draw < 0.97) events.push({ ...when(), kind: "resume", campaign });
    else events.push({ ...when(), kind: "delete", campaign });
  }
  return events;
}
