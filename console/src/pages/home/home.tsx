import { Anchor, Group, SimpleGrid, Skeleton, Stack, Title } from "@mantine/core";
import { Link } from "react-router";
import { useAnswer, usePages } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { DataTable } from "#parts/show/data-table.tsx";
import { Checklist } from "./checklist.tsx";
import { Health } from "./health.tsx";
import { PlayContact } from "./play-contact.tsx";
import { Problems } from "./problems.tsx";
import { RECENT_CALLS } from "./recent-calls.tsx";
import { RunningCampaigns } from "./running-campaigns.tsx";
import { Today } from "./today.tsx";
import { Trends } from "./trends.tsx";
import { WaitingConversations } from "./waiting.tsx";

/** As many of the newest calls as are seen at a glance. */
const CALLS = 8;

const UNSEEN = { visibility: "hidden", height: 0, overflow: "hidden" } as const;

/** The service may fall ill, and a day may end, without an event. */
const LOOK_EVERY_MS = 30_000;

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What goes on now, what the day has brought, and what is wrong. */
export function Component() {
  const { organization_id, organization_name } = useOrganization();
  const maySend = useCan("send");
  const args = { query: { organization_id, time_zone: ZONE } };
  const overview = useAnswer("GET /v1/overview", args, { refetchIntervalMs: LOOK_EVERY_MS });
  const calls = usePages("GET /v1/voice/calls", "calls", { query: { organization_id, limit: CALLS } });
  const figures = overview.data?.overview;
  const isWaiting = figures === undefined && !overview.error;
  return (
    <>
      <PageHeader
        title="Home"
        about={organization_name}
        actions={maySend && <LinkButton to="/sms-campaigns/new">New campaign</LinkButton>}
      />
      {isWaiting && <Skeleton h="60rem" aria-label="Loading" />}
      {/* Asked for at once and shown together: what comes first does not move what comes later. */}
      <Stack gap="xl" style={isWaiting ? UNSEEN : undefined}>
        {overview.error && figures === undefined ? (
          <ErrorState error={overview.error} retry={() => void overview.refetch()} />
        ) : (
          <>
            <Health checks={figures?.health} />
            <WaitingConversations waiting={figures?.conversations} />
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
              <Checklist done={figures?.checklist} />
              <PlayContact />
            </SimpleGrid>
            <Today overview={figures} />
            <Trends />
          </>
        )}
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
          <RunningCampaigns />
          <Problems problems={figures?.problems} isPending={overview.isPending} />
        </SimpleGrid>
        <Stack component="section" aria-label="Recent calls" gap="sm" miw={0}>
          <Group justify="space-between">
            <Title order={2}>Recent calls</Title>
            <Anchor component={Link} to="/calls" size="sm">
              All calls
            </Anchor>
          </Group>
          <DataTable
            label="Recent calls"
            list={{ ...calls, rows: calls.rows.slice(0, CALLS), hasNextPage: false }}
            columns={RECENT_CALLS}
            rowKey={(call) => call.call_id}
            to={(call) => `/calls/${call.call_id}`}
            empty={
              <EmptyState
                title="No calls yet"
                text="Calls of all campaigns show up here as they happen."
                action={
                  <LinkButton to="/voice-campaigns" variant="default">
                    Voice campaigns
                  </LinkButton>
                }
              />
            }
          />
        </Stack>
      </Stack>
    </>
  );
}
