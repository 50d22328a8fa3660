import { SimpleGrid, Skeleton, Stack, Tabs } from "@mantine/core";
import { useParams } from "react-router";
import { useAnswer } from "#api/query.ts";
import { FunnelCard } from "#parts/campaigns/funnel.tsx";
import { useNowAndThen } from "#parts/campaigns/live.ts";
import { ReasonsCard } from "#parts/campaigns/reasons.tsx";
import { CallCampaignCharts } from "#parts/chart/campaign-charts.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { whole } from "#parts/show/figures.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Actions } from "./actions.tsx";
import { CallFigures, stagesOf } from "./call-figures.tsx";
import { CallsNow } from "./calls-now.tsx";
import { CallList, FailedNumbers, RecipientList } from "./lists.tsx";
import { Progress } from "./progress.tsx";
import { SetupCard } from "./setup-card.tsx";

const BACK = { to: "/voice-campaigns", label: "Voice campaigns" };
const FILTERS = ["list", "status", "reason"] as const;
const SLOW = [
  "GET /v1/voice/campaigns/:campaign_id/reasons",
  "GET /v1/voice/campaigns/:campaign_id/analytics",
  "GET /v1/voice/campaigns/:campaign_id/failed-numbers",
] as const;

/** One voice campaign, as it goes. */
export function Component() {
  const { campaign_id = "" } = useParams();
  return (
    <>
      <Overview campaign_id={campaign_id} />
      <Lists campaign_id={campaign_id} />
    </>
  );
}

function Overview({ campaign_id }: { campaign_id: string }) {
  const params = { campaign_id };
  const answer = useAnswer("GET /v1/voice/campaigns/:campaign_id", { params });
  const analytics = useAnswer("GET /v1/voice/campaigns/:campaign_id/analytics", { params });
  const reasons = useAnswer("GET /v1/voice/campaigns/:campaign_id/reasons", { params });
  const [, setFilters] = useSearchFilters(FILTERS);
  useNowAndThen(campaign_id, SLOW);

  const campaign = answer.data?.campaign;
  if (campaign === undefined) {
    return (
      <>
        <PageHeader title="Voice campaign" back={BACK} />
        {answer.error ? <ErrorState error={answer.error} retry={() => void answer.refetch()} /> : <Skeleton h={140} />}
      </>
    );
  }
  const figures = analytics.data?.analytics;
  return (
    <>
      <PageHeader
        title={campaign.campaign_name ?? campaign.campaign_id}
        back={BACK}
        badge={<StatusBadge of="campaign" state={campaign.status} />}
        about={`${whole(campaign.contacts_count)} recipients, from ${
          campaign.agent_outbound_numbers.length === 1
            ? "one number"
            : `${campaign.agent_outbound_numbers.length} numbers`
        }`}
        actions={<Actions campaign={campaign} />}
      />
      <Stack gap="md">
        <Progress campaign={campaign} />
        <CallsNow campaignId={campaign_id} inProgress={campaign.calls_in_progress} />
        <SimpleGrid cols={{ base: 1, md: 2, lg: 3 }} spacing="md">
          <FunnelCard stages={stagesOf(campaign, reasons.data?.reasons)}>
            {figures && <CallFigures figures={figures} />}
          </FunnelCard>
          <ReasonsCard
            of="callee"
            answer={reasons}
            choose={({ status, reason }) => setFilters({ status, reason, list: null })}
          />
          <SetupCard campaign={campaign} />
        </SimpleGrid>
        <CallCampaignCharts campaignId={campaign_id} createdAt={campaign.created_at} />
      </Stack>
    </>
  );
}

/** Who is in the campaign, and its calls: what is above is not drawn again when rows come. */
function Lists({ campaign_id }: { campaign_id: string }) {
  const params = { campaign_id };
  const [{ list = "recipients" }, setFilters] = useSearchFilters(FILTERS);
  const campaign = useAnswer("GET /v1/voice/campaigns/:campaign_id", { params }).data?.campaign;
  const reasons = useAnswer("GET /v1/voice/campaigns/:campaign_id/reasons", { params }).data?.reasons;
  if (campaign === undefined) return null;
  return (
    <Tabs
      mt="xl"
      value={list}
      onChange={(value) => setFilters({ list: value === "recipients" ? null : value })}
      keepMounted={false}
    >
      <Tabs.List>
        <Tabs.Tab value="recipients">Recipients</Tabs.Tab>
        <Tabs.Tab value="calls">Calls</Tabs.Tab>
        <Tabs.Tab value="failed">Numbers not reached</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="recipients" pt="md">
        <RecipientList campaign={campaign} reasons={reasons} />
      </Tabs.Panel>
      <Tabs.Panel value="calls" pt="md">
        <CallList campaignId={campaign_id} />
      </Tabs.Panel>
      <Tabs.Panel value="failed" pt="md">
        <FailedNumbers campaignId={campaign_id} />
      </Tabs.Panel>
    </Tabs>
  );
}
