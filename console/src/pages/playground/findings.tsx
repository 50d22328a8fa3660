import { Paper, Stack, Text, Title } from "@mantine/core";
import type { Item } from "#api/operations.ts";
import { Fields } from "#parts/show/fields.tsx";
import { Money, whole } from "#parts/show/figures.tsx";
import { spelled, valueWords } from "#parts/show/words.ts";
import type { Turn } from "./turn.ts";

/** What the conversation has come to so far: the agent's fields, each with the words that prove it. */
export function Findings({ agent, extraction }: { agent: Item<"GET /v1/agents">; extraction: Turn["extraction"] }) {
  const names = (agent.extraction_fields ?? []).map((field) => (typeof field === "string" ? field : field.name));
  return (
    <Paper p="lg" component="section" aria-label="Found out so far" aria-live="polite">
      <Stack gap="md">
        <Title order={2}>Found out so far</Title>
        {names.length === 0 && <Text c="dimmed">This agent is not to find out anything.</Text>}
        <Fields
          items={names.map((name) => [spelled(name), <Found key={name} name={name} extraction={extraction} />])}
        />
        {extraction && (
          <Fields
            items={[
              extraction.lead_outcome !== null && ["Outcome", spelled(extraction.lead_outcome)],
              ["Objective met", extraction.objective_met ? "Yes" : "Not yet"],
              extraction.sentiment !== null && ["Sentiment", extraction.sentiment],
              extraction.summary !== null && ["Summary", extraction.summary],
              [
                "Cost of finding out",
                <span key="c">
                  <Money amount={extraction.cost} />{" "}
                  <Text span size="sm" c="dimmed">
                    ({whole(extraction.usage.input_tokens + extraction.usage.output_tokens)} tokens)
                  </Text>
                </span>,
              ],
            ]}
          />
        )}
      </Stack>
    </Paper>
  );
}

function Found({ name, extraction }: { name: string; extraction: Turn["extraction"] }) {
  const value = extraction?.extracted_fields[name];
  if (value === undefined) return <>–</>;
  const quote = extraction?.evidence[name]?.quote;
  return (
    <>
      {valueWords(value)}
      {quote && (
        <Text span size="sm" c="dimmed">
          {" "}
          “{quote}”
        </Text>
      )}
    </>
  );
}
