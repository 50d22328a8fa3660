import { SimpleGrid, Stack, Text } from "@mantine/core";
import type { Answer } from "#api/operations.ts";
import { After, Counts, preflightWord, Section, Warnings, Zones } from "#parts/campaigns/preflight.tsx";
import { whole } from "#parts/show/figures.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { StatTile } from "#parts/show/stat-tile.tsx";

export type Preflight = Answer<"POST /v1/voice/campaigns/preflight">["preflight"];

/** What a voice campaign would do. */
export function PreflightView({ preflight }: { preflight: Preflight }) {
  const { forecast, pace } = preflight;
  const { missing, law } = preflight.voice_consent;
  const say = (code: string) =>
    code === "ai_voice_consent"
      ? `${whole(missing)} of them gave no written consent to calls that is on record. By law an AI voice needs one to sell something (${law}).`
      : preflightWord(code);
  return (
    <Stack gap="lg">
      <Warnings codes={preflight.warnings} say={say} />
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <StatTile
          label="Will be called"
          value={whole(preflight.recipients.will_be_called)}
          note={`of ${whole(preflight.recipients.total)}`}
        />
        <StatTile
          label="Reachable at start"
          value={whole(preflight.hours.open_now)}
          note="can be called at that hour"
        />
        <StatTile
          label="First calls out"
          value={<After from={forecast.starts_at} to={forecast.first_calls_finish_at} />}
          note={forecast.limited_by ? `Limited by: ${preflightWord(forecast.limited_by)}` : undefined}
        />
        <StatTile
          label="Pace"
          value={`${pace.calls_per_second} a second`}
          note={`${whole(pace.max_concurrent_calls)} at once`}
        />
      </SimpleGrid>
      <Counts title="Skipped" counts={preflight.skips} nobody="Nobody is skipped." name={preflightWord} />
      <Zones zones={preflight.zones} />
      <Section title="Numbers">
        <Text size="sm">
          {pace.numbers.length === 1
            ? "Calls come from "
            : `Calls come from ${pace.numbers.length} numbers in rotation: `}
          {pace.numbers.map(formatPhone).join(", ")}.
        </Text>
      </Section>
    </Stack>
  );
}
