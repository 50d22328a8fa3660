import { Anchor, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import type { Answer } from "#api/operations.ts";
import { whole } from "#parts/show/figures.tsx";
import { reasonOf } from "#parts/show/words.ts";

type Problem = Answer<"GET /v1/overview">["overview"]["problems"][number];

/** What failed today, the most frequent first; each leads to where one sees whom it hit. */
export function Problems({ problems, isPending }: { problems: readonly Problem[] | undefined; isPending: boolean }) {
  return (
    <Stack component="section" aria-label="Problems today" gap="sm" miw={0}>
      <Title order={2}>Problems today</Title>
      {problems === undefined ? (
        isPending && <Skeleton h={72} />
      ) : (
        <Paper p="md">
          {problems.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nothing has failed today.
            </Text>
          ) : (
            <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }}>
              {problems.map((problem) => (
                <Group
                  key={`${problem.channel} ${problem.code}`}
                  component="li"
                  justify="space-between"
                  wrap="nowrap"
                  gap="md"
                >
                  <Anchor component={Link} to={placeOf(problem)} size="sm" c="bright" miw={0}>
                    {problem.code === "" ? "No reason was given" : reasonOf(problem.code)}
                  </Anchor>
                  <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
                    {whole(problem.count)} {problem.channel === "sms" ? "text" : "call"}
                    {problem.count === 1 ? "" : "s"}
                  </Text>
                </Group>
              ))}
            </Stack>
          )}
        </Paper>
      )}
    </Stack>
  );
}

/** The recipients whom it hit, in the campaign that has most of them. */
function placeOf({ channel, code, campaign_id }: Problem): string {
  if (channel === "voice")
    return campaign_id === null ? "/calls" : `/calls?campaign_id=${encodeURIComponent(campaign_id)}`;
  if (campaign_id === null) return "/sms-campaigns";
  const search = new URLSearchParams({ status: "failed", ...(code === "" ? {} : { reason: code }) });
  return `/sms-campaigns/${encodeURIComponent(campaign_id)}?${search}`;
}
