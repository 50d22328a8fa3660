import { Button, Group, Paper, Text } from "@mantine/core";
import { useState } from "react";
import { messageOf } from "#api/error.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { relative, useNow } from "#parts/show/time.tsx";

const HOUR_MS = 3_600_000;
const STEPS = [
  ["10 minutes", HOUR_MS / 6],
  ["1 hour", HOUR_MS],
  ["1 day", 24 * HOUR_MS],
  ["1 week", 168 * HOUR_MS],
] as const;
/** From here on a skip is asked for twice: it cannot be taken back. */
const LONG_MS = 24 * HOUR_MS;

/** The simulator's own time, and what skips it forward. */
export function Clock({ mayAct }: { mayAct: boolean }) {
  const answer = useAnswer("GET /v1/simulator/clock", {});
  const move = useSend("POST /v1/simulator/clock", ["GET /v1/simulator/clock"], { isShown: true });
  const now = useNow({ isReal: true });
  const [moved, setMoved] = useState<string>();
  const offsetMs = answer.data?.offset_ms;
  const skip = async (name: string, advance_ms: number) => {
    setMoved(undefined);
    await move.mutateAsync({ body: { advance_ms } });
    setMoved(`Skipped ${name}. What was due by now happens now.`);
  };

  return (
    <Paper component="section" aria-label="Time" p="md" mb="lg">
      <Group justify="space-between" gap="md">
        <div>
          <Text size="sm" fw={600}>
            {offsetMs === undefined ? "…" : at(now + offsetMs)}
            <Text span inherit c="dimmed" fw={400}>
              {" "}
              {offsetMs !== undefined && (offsetMs < 60_000 ? "the real time" : `real time ${ago(offsetMs)}`)}
            </Text>
          </Text>
          <Text size="xs" c="dimmed" maw={560}>
            Skipping ahead makes everything due by then happen now: follow-ups, slow answers, texts held for the night,
            calls to be repeated. It counts for all simulated campaigns of your account, and never goes back.
          </Text>
        </div>
        {mayAct && (
          <Group gap="xs" role="group" aria-label="Skip ahead">
            {STEPS.map(([name, ms]) =>
              ms < LONG_MS ? (
                <Button
                  key={name}
                  size="xs"
                  variant="default"
                  disabled={move.isPending}
                  onClick={() => void skip(name, ms).catch(() => {})}
                >
                  + {name}
                </Button>
              ) : (
                <ConfirmButton
                  key={name}
                  size="xs"
                  color="pine"
                  title={`Skip ${name}?`}
                  text="All simulated campaigns go on as if that time had passed. It cannot be taken back."
                  confirm={`Skip ${name}`}
                  onConfirm={() => skip(name, ms)}
                >
                  + {name}
                </ConfirmButton>
              ),
            )}
          </Group>
        )}
      </Group>
      <Text size="xs" role="status" c={move.error ? "red" : "dimmed"}>
        {move.error ? messageOf(move.error) : (moved ?? "")}
      </Text>
    </Paper>
  );
}

const at = (ms: number): string =>
  new Date(ms).toLocaleString("en", {
    weekday: "short",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
  });

/** How far real time is behind. */
const ago = (offsetMs: number): string =>
  `is ${relative(-offsetMs).replace(" ago", " behind").replace("yesterday", "a day behind")}`;
