import { Anchor, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { useAnswer } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { whole } from "#parts/show/figures.tsx";
import { ProgressBar } from "#parts/show/progress-bar.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { reasonOf } from "#parts/show/words.ts";

/** As many as are seen at a glance; the rest is on the campaigns' own pages. */
const SHOWN = 6;

type Running = {
  id: string;
  path: string;
  /** Whom it reaches: their states have words of their own. */
  of: "recipient" | "callee";
  name: string;
  status: string;
  counts: Record<string, number>;
  because: string | null;
  eta: string | null;
};

/** The campaigns that go on, with how far they are and why they wait. */
export function RunningCampaigns() {
  const { organization_id } = useOrganization();
  const maySend = useCan("send");
  const sms = useAnswer("GET /v1/campaigns", { query: { organization_id, status: "active", limit: SHOWN } });
  const voice = useAnswer("GET /v1/voice/campaigns", { query: { organization_id, status: "running", limit: SHOWN } });
  const failed = sms.error ? sms : voice.error ? voice : undefined;

  const running: Running[] = [
    ...(sms.data?.campaigns ?? []).map((campaign) => ({
      id: campaign.campaign_id,
      path: `/sms-campaigns/${encodeURIComponent(campaign.campaign_id)}`,
      of: "recipient" as const,
      name: campaign.campaign_name ?? campaign.campaign_id,
      status: campaign.status,
      counts: campaign.recipients,
      because: campaign.waiting_because,
      eta: campaign.eta,
    })),
    ...(voice.data?.campaigns ?? []).map((campaign) => ({
      id: campaign.campaign_id,
      path: `/voice-campaigns/${encodeURIComponent(campaign.campaign_id)}`,
      of: "callee" as const,
      name: campaign.campaign_name ?? campaign.campaign_id,
      status: campaign.status,
      counts: campaign.recipients,
      because: campaign.waiting_because,
      eta: null,
    })),
  ];

  return (
    <Stack component="section" aria-label="Running campaigns" gap="sm" miw={0}>
      <Title order={2}>Running campaigns</Title>
      {failed ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : sms.isPending || voice.isPending ? (
        <Skeleton h={72} />
      ) : running.length === 0 ? (
        <EmptyState
          title="Nothing is running"
          text="A campaign texts or calls everybody on a list, converses, and finds out what you want to know."
          action={maySend && <LinkButton to="/sms-campaigns/new">Start a campaign</LinkButton>}
        />
      ) : (
        running.map((campaign) => <RunningCampaign key={campaign.id} campaign={campaign} />)
      )}
    </Stack>
  );
}

function RunningCampaign({ campaign: { path, of, name, status, counts, because, eta } }: { campaign: Running }) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (
    <Paper p="md">
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Anchor component={Link} to={path} c="bright" fw={600} truncate>
          {name}
        </Anchor>
        <StatusBadge of="campaign" state={status} />
      </Group>
      <ProgressBar counts={counts} of={of} label={name} legend />
      <Text size="xs" c="dimmed" mt="xs">
        {whole(total)} recipients
        {eta && (
          <>
            {" · done "}
            <Time at={eta} />
          </>
        )}
        {because && ` · ${reasonOf(because)}`}
      </Text>
    </Paper>
  );
}
