import { SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { Answer } from "#api/operations.ts";
import { percent, whole } from "#parts/show/figures.tsx";
import { StatTile } from "#parts/show/stat-tile.tsx";

const DATE = new Intl.DateTimeFormat("en", { weekday: "long", month: "long", day: "numeric", timeZone: "UTC" });

/** The day's figures so far, beside those of yesterday and of the seven whole days before. */
export function Today({ overview }: { overview: Answer<"GET /v1/overview">["overview"] | undefined }) {
  const { texts, opt_outs, calls, day, before } = overview ?? {};
  return (
    <Stack component="section" aria-label="Today" gap="sm">
      <Title order={2}>
        Today{" "}
        {day && (
          <Text span size="sm" fw={400} c="dimmed">
            {DATE.format(new Date(`${day.date}T00:00:00Z`))}
          </Text>
        )}
      </Title>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <StatTile
          label="Texts sent"
          value={texts && whole(texts.sent)}
          note={
            texts && (
              <>
                {texts.sent > 0 && `${percent(texts.delivered, texts.sent)} delivered, ${whole(texts.failed)} failed`}
                <Past before={before} of={({ texts: past }) => past.sent} />
              </>
            )
          }
        />
        <StatTile
          label="Replies"
          value={texts && whole(texts.received)}
          note={<Past before={before} of={({ texts: past }) => past.received} />}
        />
        <StatTile
          label="Opt-outs"
          value={opt_outs === undefined ? undefined : whole(opt_outs)}
          note={
            overview && (
              <>
                Unsubscribed contacts
                <Past before={before} of={(past) => past.opt_outs} />
              </>
            )
          }
        />
        <StatTile
          label="Calls"
          value={calls && whole(calls.total)}
          note={
            calls && (
              <>
                {`${whole(calls.answered)} answered, ${whole(calls.voicemail)} voicemail`}
                <Past before={before} of={({ calls: past }) => past.total} />
              </>
            )
          }
        />
      </SimpleGrid>
    </Stack>
  );
}

type Before = Answer<"GET /v1/overview">["overview"]["before"];

function Past({ before, of }: { before: Before | undefined; of: (past: Before["yesterday"]) => number }) {
  return (
    before && (
      <span style={{ display: "block" }}>
        Yesterday {whole(of(before.yesterday))}, the 7 days before today {whole(of(before.last_7_days))}
      </span>
    )
  );
}
