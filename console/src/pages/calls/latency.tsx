import { Box, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { duration } from "#parts/show/figures.tsx";
import type { Call } from "./call.tsx";
import classes from "./calls.module.css";
import { clock, type Player } from "./player.ts";

const STAGES = [
  { key: "endpointing", field: "endpointing_ms", name: "Hearing that the contact has ended" },
  { key: "asr", field: "asr_ms", name: "Understanding the words" },
  { key: "llm", field: "llm_ms", name: "Thinking of an answer" },
  { key: "tts", field: "tts_ms", name: "Beginning to speak" },
] as const;

/** How long the contact waited for each answer, and for what. */
export function Latency({ call: { turns, latency }, player }: { call: Call; player: Player | undefined }) {
  if (turns.length === 0) return null;
  const longest = Math.max(...turns.map((turn) => turn.e2e_ms));
  const all = latency.e2e;
  return (
    <Paper p="md" component="section" aria-label="How fast it answered">
      <Title order={2}>How fast it answered</Title>
      {all && (
        <Text size="sm" c="dimmed" mt={2}>
          {turns.length === 1
            ? `The one answer began after ${duration(all.p50)}.`
            : `Half of the ${turns.length} answers began within ${duration(all.p50)}, nearly all within ${duration(all.p95)}.`}
        </Text>
      )}
      <Group gap="xs" mt="sm">
        {STAGES.map(({ key, name }) => (
          <Group key={key} gap={6} wrap="nowrap">
            <span className={`parley-swatch ${classes.stage}`} data-stage={key} />
            <Text size="xs">
              {name}
              {latency[key] && (
                <Text span size="xs" c="dimmed">
                  {" "}
                  {duration(latency[key].p50)}
                </Text>
              )}
            </Text>
          </Group>
        ))}
      </Group>
      <Stack
        gap={6}
        mt="sm"
        component="ol"
        p={0}
        m={0}
        style={{ listStyle: "none", maxHeight: 260, overflowY: "auto" }}
      >
        {turns.map((turn) => (
          <li key={turn.at_ms}>
            <Group gap="xs" wrap="nowrap">
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                w={52}
                disabled={player === undefined}
                aria-label={`Play the answer at ${clock(turn.at_ms / 1_000)}`}
                onClick={() => player?.seek(turn.at_ms / 1_000, true)}
              >
                {clock(turn.at_ms / 1_000)}
              </Button>
              <Box flex={1} role="img" aria-label={saidOf(turn)} title={saidOf(turn)}>
                <div className={classes.strip} style={{ width: `${(turn.e2e_ms / longest) * 100}%` }}>
                  {STAGES.map(({ key, field }) => (
                    <span
                      key={key}
                      className={classes.stage}
                      data-stage={key}
                      style={{ width: `${((turn[field] ?? 0) / turn.e2e_ms) * 100}%` }}
                    />
                  ))}
                </div>
              </Box>
              <Text size="xs" w={52} ta="right">
                {duration(turn.e2e_ms)}
              </Text>
            </Group>
          </li>
        ))}
      </Stack>
    </Paper>
  );
}

function saidOf(turn: Call["turns"][number]): string {
  const parts = STAGES.flatMap(({ field, name }) => {
    const ms = turn[field];
    return ms === undefined ? [] : [`${name}: ${duration(ms)}`];
  });
  return [`The answer began after ${duration(turn.e2e_ms)}`, ...parts].join("\n");
}
