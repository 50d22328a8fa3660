import { Alert, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useRate } from "#parts/campaigns/rate.ts";
import { whole } from "#parts/show/figures.tsx";
import { ProgressBar } from "#parts/show/progress-bar.tsx";
import { serviceNow, Time } from "#parts/show/time.tsx";
import { reasonOf } from "#parts/show/words.ts";
import type { Campaign } from "./draft.ts";

const UNSENT = ["scheduled", "held", "sending"];

/** How far a campaign is, how fast it goes, when it is done, and why it waits. */
export function Progress({ campaign }: { campaign: Campaign }) {
  const { recipients, details, status, eta, rate_per_second, waiting_because, pending_messages } = campaign;
  const unsent = UNSENT.reduce((sum, state) => sum + (recipients[state] ?? 0), 0);
  const begun = details.total_contacts - unsent;
  const rate = useRate(begun);
  const isOver = status === "completed" || status === "deleted";
  const doneAt = eta ?? (rate && unsent > 0 ? new Date(serviceNow() + (unsent / rate) * 1_000).toISOString() : null);
  return (
    <Paper p="md" component="section" aria-label="Progress">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={2}>
            {whole(begun)} of {whole(details.total_contacts)} contacts processed
          </Title>
          <Text size="sm" c="dimmed">
            {!isOver && rate !== undefined && `${whole(Math.round(rate))} a second now`}
            {!isOver &&
              rate_per_second !== null &&
              `${rate === undefined ? "" : ", "}${whole(rate_per_second)} at most`}
            {!isOver && waiting_because === null && doneAt && (
              <>
                {rate !== undefined || rate_per_second !== null ? " · " : ""}first texts done <Time at={doneAt} />
              </>
            )}
            {isOver && campaign.completed_at && (
              <>
                Completed <Time at={campaign.completed_at} />
              </>
            )}
          </Text>
        </Group>
        <ProgressBar counts={recipients} label="Recipients" legend />
        {!isOver && waiting_because && (
          <Alert color="yellow" py="xs" role="status">
            {reasonOf(waiting_because)}
            {waiting_because === "not_begun" && campaign.campaign_begin_time && (
              <>
                {" "}
                (<Time at={campaign.campaign_begin_time} />)
              </>
            )}
            .
          </Alert>
        )}
        {!isOver && pending_messages > unsent && (
          <Text size="sm" c="dimmed">
            {whole(pending_messages - unsent)} follow-ups are still to leave, unless somebody answers before.
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
