import { Group, Text } from "@mantine/core";
import { percent, whole } from "./figures.tsx";
import { type Thing, type Tone, wordOf } from "./words.ts";

/** Seen beside each other in both schemes; those that mean the same are shades of one colour. */
const SHADES: Record<string, string> = {
  completed: "var(--mantine-color-pine-7)",
  replied: "var(--mantine-color-pine-5)",
  delivered: "var(--mantine-color-pine-3)",
  sent: "var(--mantine-color-blue-5)",
  sending: "var(--mantine-color-blue-3)",
  held: "var(--mantine-color-yellow-5)",
  unknown: "var(--mantine-color-yellow-7)",
  failed: "var(--mantine-color-red-6)",
  opted_out: "var(--mantine-color-red-8)",
};
const BY_TONE: Record<Tone, string> = {
  plain: "var(--mantine-color-gray-5)",
  wait: "var(--mantine-color-yellow-5)",
  go: "var(--mantine-color-blue-5)",
  good: "var(--mantine-color-pine-5)",
  bad: "var(--mantine-color-red-6)",
};

/** The furthest first, so that the bar fills from the left. */
const ORDER = [
  "completed",
  "replied",
  "delivered",
  "sent",
  "sending",
  "unknown",
  "failed",
  "opted_out",
  "expired",
  "skipped",
  "held",
  "scheduled",
];

/**
 * How many of a whole are in which state: a bar in segments, and below it, with `legend`, the states in words. What waits
 * is the empty part of the bar.
 */
export function ProgressBar({
  counts,
  of = "recipient",
  label,
  legend = false,
}: {
  counts: Readonly<Record<string, number>>;
  of?: Thing;
  label: string;
  legend?: boolean;
}) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const place = (state: string) => (ORDER.indexOf(state) + ORDER.length + 1) % (ORDER.length + 1);
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => place(a) - place(b))
    .map(([state, count]) => ({ state, count, ...wordOf(of, state) }));
  const text = parts.map(({ label: name, count }) => `${name} ${whole(count)}`).join(", ");
  return (
    <div>
      <div className="parley-bar" role="img" aria-label={`${label}: ${text || "nobody yet"}`} title={text}>
        {parts
          .filter(({ state }) => state !== "scheduled")
          .map(({ state, count, tone }) => (
            <span
              key={state}
              style={{ width: `${(count / total) * 100}%`, background: SHADES[state] ?? BY_TONE[tone] }}
            />
          ))}
      </div>
      {legend && (
        <Group gap="md" mt="xs">
          {parts.map(({ state, label: name, count, tone }) => (
            <Group key={state} gap={6} wrap="nowrap">
              <span
                className="parley-swatch"
                style={{ background: state === "scheduled" ? "var(--parley-line)" : (SHADES[state] ?? BY_TONE[tone]) }}
              />
              <Text size="xs">
                {name} <b>{whole(count)}</b>{" "}
                <Text span inherit c="dimmed">
                  {percent(count, total)}
                </Text>
              </Text>
            </Group>
          ))}
        </Group>
      )}
    </div>
  );
}
