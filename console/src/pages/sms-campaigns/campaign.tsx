import { SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { useParams } from "react-router";
import { useAnswer, usePages } from "#api/query.ts";
import { FunnelCard } from "#parts/campaigns/funnel.tsx";
import { useNowAndThen } from "#parts/campaigns/live.ts";
import { endsOf, ReasonsCard } from "#parts/campaigns/reasons.tsx";
import { type RecipientRow, Recipients, useRecipientFilters } from "#parts/campaigns/recipients.tsx";
import { TextCampaignCharts } from "#parts/chart/campaign-charts.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { Money, percent, whole } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { spelled } from "#parts/show/words.ts";
import { Actions } from "./actions.tsx";
import { stagesOf } from "./funnel.ts";
import { Progress } from "./progress.tsx";
import { SetupCard } from "./setup-card.tsx";
import { shownState } from "./shown-state.ts";

const BACK = { to: "/sms-campaigns", label: "SMS campaigns" };
const SLOW = ["GET /v1/campaigns/:campaign_id/reasons", "GET /v1/campaigns/:campaign_id/analytics"] as const;

const OUTCOME: readonly Column<RecipientRow>[] = [
  { key: "outcome", title: "Outcome", isExtra: true, render: (row) => (row.outcome ? spelled(row.outcome) : "–") },
];

/** One SMS campaign, as it goes. */
export function Component() {
  const { campaign_id = "" } = useParams();
  return (
    <>
      <Overview campaign_id={campaign_id} />
      <RecipientList campaign_id={campaign_id} />
    </>
  );
}

function Overview({ campaign_id }: { campaign_id: string }) {
  const params = { campaign_id };
  const answer = useAnswer("GET /v1/campaigns/:campaign_id", { params });
  const analytics = useAnswer("GET /v1/campaigns/:campaign_id/analytics", { params });
  const reasons = useAnswer("GET /v1/campaigns/:campaign_id/reasons", { params });
  const [, setFilters] = useRecipientFilters();
  useNowAndThen(campaign_id, SLOW);

  const campaign = answer.data?.campaign;
  if (answer.error && campaign === undefined) {
    return (
      <>
        <PageHeader title="SMS campaign" back={BACK} />
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      </>
    );
  }
  if (campaign === undefined) {
    return (
      <>
        <PageHeader title="SMS campaign" back={BACK} />
        <Skeleton h={140} />
      </>
    );
  }
  const figures = analytics.data?.analytics;
  return (
    <>
      <PageHeader
        title={campaign.campaign_name ?? campaign.campaign_id}
        back={BACK}
        badge={<StatusBadge of="campaign" state={shownState(campaign)} />}
        about={
          <>
            {whole(campaign.details.total_contacts)} recipients, from <PhoneNumber number={campaign.svc_sms_number} />
          </>
        }
        actions={<Actions campaign={campaign} />}
      />
      <Stack gap="md">
        <Progress campaign={campaign} />
        <SimpleGrid cols={{ base: 1, md: 2, lg: 3 }} spacing="md">
          <FunnelCard stages={stagesOf(campaign, figures)}>
            {figures && (
              <Fields
                items={[
                  ["Texts sent", whole(figures.sent)],
                  ["Texts delivered", `${whole(figures.delivered)} (${percent(figures.delivered, figures.sent)})`],
                  [
                    "Texted, then opted out",
                    `${whole(figures.opted_out)} (${percent(figures.opted_out, figures.contacted)})`,
                  ],
                  ["Text segments", whole(figures.segments)],
                  endsOf(reasons.data?.reasons),
                  ["Cost so far, texts and calls", <Money key="cost" amount={figures.cost} />],
                ]}
              />
            )}
          </FunnelCard>
          <ReasonsCard of="recipient" answer={reasons} choose={setFilters} />
          <SetupCard campaign={campaign} />
        </SimpleGrid>
        <TextCampaignCharts campaignId={campaign_id} createdAt={campaign.created_at} />
      </Stack>
    </>
  );
}

/** Who is in the campaign. Asked for along with what is above, which is not drawn again when rows come. */
function RecipientList({ campaign_id }: { campaign_id: string }) {
  const params = { campaign_id };
  const [filters] = useRecipientFilters();
  const leads = usePages("GET /v1/campaigns/:campaign_id/leads", "leads", { params, query: filters });
  const campaign = useAnswer("GET /v1/campaigns/:campaign_id", { params }).data?.campaign;
  const reasons = useAnswer("GET /v1/campaigns/:campaign_id/reasons", { params }).data?.reasons;
  if (campaign === undefined) return null;
  return (
    <Recipients
      of="recipient"
      list={leads}
      more={OUTCOME}
      counts={campaign.recipients}
      reasons={reasons}
      to={(row) => `/conversations/${encodeURIComponent(String(row.thread_id))}`}
    />
  );
}
