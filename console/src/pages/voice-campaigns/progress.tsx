import { Alert, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useRate } from "#parts/campaigns/rate.ts";
import { whole } from "#parts/show/figures.tsx";
import { ProgressBar } from "#parts/show/progress-bar.tsx";
import { serviceNow, Time } from "#parts/show/time.tsx";
import { reasonOf } from "#parts/show/words.ts";
import type { Campaign } from "./draft.ts";

/** How far a campaign is, how fast it dials, when everybody has been tried, and why it waits. */
export function Progress({ campaign }: { campaign: Campaign }) {
  const { recipients, counts, contacts_count, status, waiting_because } = campaign;
  const untried = (recipients.scheduled ?? 0) + (recipients.held ?? 0) + (recipients.sending ?? 0);
  const calls = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const rate = useRate(calls);
  const isOver = status === "completed" || status === "deleted";
  const doneAt = rate && untried > 0 ? new Date(serviceNow() + (untried / rate) * 1_000).toISOString() : null;
  return (
    <Paper p="md" component="section" aria-label="Progress">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={2}>
            {whole(contacts_count - untried)} of {whole(contacts_count)} contacts called
          </Title>
          <Text size="sm" c="dimmed">
            {whole(calls)} {calls === 1 ? "call" : "calls"}
            {!isOver && rate !== undefined && `, ${rate.toFixed(1)} a second now`}
            {!isOver &&
              ` · ${campaign.calls_per_second} a second and ${whole(campaign.max_concurrent_calls)} at once at most`}
            {!isOver && waiting_because === null && doneAt && (
              <>
                {" · all tried "}
                <Time at={doneAt} />
              </>
            )}
            {isOver && campaign.completed_at && (
              <>
                {" · completed "}
                <Time at={campaign.completed_at} />
              </>
            )}
          </Text>
        </Group>
        <ProgressBar counts={recipients} of="callee" label="Recipients" legend />
        {!isOver && waiting_because && (
          <Alert color="yellow" py="xs" role="status">
            {reasonOf(waiting_because)}
            {waiting_because === "not_begun" && (
              <>
                {" "}
                (<Time at={campaign.campaign_begin_time} />)
              </>
            )}
            .
          </Alert>
        )}
      </Stack>
    </Paper>
  );
}
