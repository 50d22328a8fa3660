import type { Behavior } from "./language-model-server.ts";

/** What a provider in trouble does instead of answering. */
export const OUTAGES = {
  "429": { kind: "status", status: 429 },
  "429 with Retry-After": { kind: "status", status: 429, headers: { "retry-after": "1" } },
  "500": { kind: "status", status: 500 },
  reset: { kind: "reset" },
  hang: { kind: "stall" },
  "hang after some words": { kind: "stall", afterText: "Well, I" },
  "half a stream": { kind: "close_early", text: "Well, I" },
  "half a stream that ends well": { kind: "close_early", text: "Well, I", cleanly: true },
} satisfies Record<string, Behavior>;

export type Outage = keyof typeof OUTAGES;

/**
 * A provider that fails at a share of its requests, each time in another way; the rest it answers by `well`. What it did is counted in
 * `drawn`. `random` comes from a seed: requests come in an order of their own, so that not each run is the same, but each is as bad.
 */
export function withOutages(
  share: number,
  random: () => number,
  well: (body: Record<string, unknown>) => Behavior,
): { behavior: Behavior; drawn: Record<string, number> } {
  const kinds = Object.keys(OUTAGES) as Outage[];
  const drawn: Record<string, number> = {};
  const next = (body: Record<string, unknown>): Behavior => {
    const kind = random() < share ? kinds[Math.floor(random() * kinds.length)]! : undefined;
    drawn[kind ?? "well"] = (drawn[kind ?? "well"] ?? 0) + 1;
    return kind === undefined ? well(body) : OUTAGES[kind];
  };
  return { behavior: { kind: "drawn", next }, drawn };
}
