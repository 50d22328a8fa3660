import { Group, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Answer } from "#api/operations.ts";
import { After, Counts, preflightWord, Section, Warnings, Zones } from "#parts/campaigns/preflight.tsx";
import { Money, whole } from "#parts/show/figures.tsx";
import { formatPhone, PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatTile } from "#parts/show/stat-tile.tsx";
import { Time } from "#parts/show/time.tsx";

export type Preflight = Answer<"POST /v1/campaigns/preflight">["preflight"];

/** Enough to see that the fields are where they should be. */
const SAMPLES = 6;

/** What a campaign would do, or has still ahead of it. */
export function PreflightView({ preflight }: { preflight: Preflight }) {
  const { forecast, sender } = preflight;
  return (
    <Stack gap="lg">
      <Warnings codes={preflight.warnings} />
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <StatTile
          label="Will be texted"
          value={whole(preflight.recipients.will_be_texted)}
          note={`of ${whole(preflight.recipients.total)}`}
        />
        <StatTile
          label="Segments"
          value={whole(preflight.segments.total)}
          note={`${whole(preflight.segments.starting_messages)} first, ${whole(preflight.segments.drips)} follow-ups at most`}
        />
        <StatTile
          label="Cost at most"
          value={<Money amount={preflight.cost.amount} />}
          note={
            <>
              <Money amount={preflight.cost.price_per_segment} /> a segment
              {preflight.cost.price_per_picture_text !== null && (
                <>
                  , <Money amount={preflight.cost.price_per_picture_text} /> with pictures
                </>
              )}
            </>
          }
        />
        <StatTile
          label="First texts out"
          value={<After from={forecast.starts_at} to={forecast.starting_messages_finish_at} />}
          note={forecast.limited_by ? `Limited by: ${preflightWord(forecast.limited_by)}` : undefined}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <Counts title="Skipped" counts={preflight.skips} nobody="Nobody is skipped." name={preflightWord} />
        <Counts
          title="Missing fields"
          counts={preflight.missing_variables}
          nobody="Everybody has every field that the texts ask for."
          name={(field) => field.replaceAll("_", " ")}
        />
      </SimpleGrid>
      <Zones zones={preflight.zones} />
      <Section title="Sender and end">
        <Text size="sm">
          {formatPhone(sender.svc_sms_number)} sends{" "}
          {sender.rate_per_second === null
            ? "as fast as it can"
            : `${whole(sender.rate_per_second)} texts a second at most`}
          {sender.segments_left_today !== null &&
            `, and has ${whole(sender.segments_left_today)} segments left of today's ${whole(sender.segments_per_day ?? 0)}`}
          .{" "}
          {sender.first_hour_texts !== null &&
            `It is new with its carrier: at most ${whole(sender.first_hour_texts)} campaign texts in its first hour, a tenth of them at once. `}
          {forecast.finish_at ? (
            <>
              With the last follow-up it is done <Time at={forecast.finish_at} exact />.
            </>
          ) : (
            "Nothing would be sent."
          )}
        </Text>
      </Section>
      {preflight.samples.length > 0 && (
        <Section title="What they will read">
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            {preflight.samples.slice(0, SAMPLES).map((sample) => (
              <Paper key={sample.phone_number} p="sm" bg="var(--parley-canvas)">
                <Group justify="space-between" gap="xs">
                  <Text size="xs" fw={550}>
                    <PhoneNumber number={sample.phone_number} />
                  </Text>
                  <Text size="xs" c="dimmed">
                    {sample.segments === 1 ? "1 segment" : `${sample.segments} segments`}
                  </Text>
                </Group>
                <Text size="sm" mt={4} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
                  {sample.text}
                </Text>
              </Paper>
            ))}
          </SimpleGrid>
        </Section>
      )}
    </Stack>
  );
}
