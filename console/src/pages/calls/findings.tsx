import { Anchor, Paper, Stack, Text, Title } from "@mantine/core";
import { Fields } from "#parts/show/fields.tsx";
import { Money } from "#parts/show/figures.tsx";
import { spelled, valueWords } from "#parts/show/words.ts";
import type { Call } from "./call.tsx";
import type { Player } from "./player.ts";

const COSTS: Readonly<Record<string, string>> = {
  carrier: "Telephone line",
  transcription: "Speech-to-text",
  voice: "Voice",
  model: "Language model",
};

/** What the call came to: its summary, the fields with where they were said, and what it cost. */
export function Findings({ call, isLive, player }: { call: Call; isLive: boolean; player: Player | undefined }) {
  const fields = Object.entries(call.extracted_fields);
  const costs = Object.entries(call.cost ?? {}).filter(([part]) => part !== "total");
  return (
    <>
      <Paper p="md" component="section" aria-label="What was found out">
        <Title order={2} mb="xs">
          What was found out
        </Title>
        <Stack gap="sm">
          {call.summary && <Text size="sm">{call.summary}</Text>}
          {fields.length > 0 ? (
            <Fields
              items={fields.map(([name, value]) => [
                spelled(name),
                <Found key={name} value={value} evidence={call.evidence[name]} call={call} player={player} />,
              ])}
            />
          ) : (
            <Text size="sm" c="dimmed">
              {isLive
                ? "That is known once the call is over."
                : call.call_duration_ms === 0
                  ? "There was no conversation to find anything out in."
                  : "None of the agent's fields was answered."}
            </Text>
          )}
        </Stack>
      </Paper>
      {costs.length > 0 && (
        <Paper p="md" component="section" aria-label="Cost">
          <Title order={2} mb="xs">
            Cost
          </Title>
          <Fields
            items={[
              ...costs.map(
                ([part, amount]) => [COSTS[part] ?? spelled(part), <Money key={part} amount={amount} />] as const,
              ),
              ["Total", <Money key="total" amount={call.cost?.total} />] as const,
            ]}
          />
        </Paper>
      )}
    </>
  );
}

/** A value, and under it the words that it was taken from; a click goes to where they were said. */
function Found({
  value,
  evidence,
  call,
  player,
}: {
  value: unknown;
  evidence: unknown;
  call: Call;
  player: Player | undefined;
}) {
  const { quote, utterance } = (evidence ?? {}) as { quote?: unknown; utterance?: unknown };
  const start = typeof utterance === "number" ? call.transcript_object[utterance]?.words[0]?.start : undefined;
  return (
    <>
      <Text size="sm" fw={600} component="div">
        {valueWords(value)}
      </Text>
      {typeof quote === "string" &&
        (player && start !== undefined ? (
          <Anchor component="button" type="button" size="xs" ta="left" onClick={() => player.seek(start, true)}>
            “{quote}”
          </Anchor>
        ) : (
          <Text size="xs" c="dimmed">
            “{quote}”
          </Text>
        ))}
    </>
  );
}
