import { Alert, Group, Paper, Progress, Skeleton, Stack, Text, Timeline, Title } from "@mantine/core";
import type { Item } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { percent, whole } from "#parts/show/figures.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { Time } from "#parts/show/time.tsx";
import { type Brand, StatusOf } from "./brands.tsx";
import { refusalOf, registryState, wordsOfKind } from "./registry-words.ts";

type Campaign = Item<"GET /v1/10dlc/campaign">;

/** No event reports what has been spent. */
const LOOK_EVERY_MS = 15_000;

/** How far a brand is, its budget and today's use, and its 10DLC campaigns. */
export function BrandDetail({ brand }: { brand: Brand }) {
  const params = { brand_id: brand.brandId };
  const use = useAnswer("GET /v1/10dlc/brand/:brand_id/use", { params }, { refetchIntervalMs: LOOK_EVERY_MS });
  const campaigns = useAnswer("GET /v1/10dlc/campaign", { query: { brandId: brand.brandId, limit: 100 } });
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <StatusOf status={brand.status} />
        <CopyAsCurl operation="GET /v1/10dlc/brand/:brand_id" args={{ params }} />
      </Group>
      <Steps of={brand} />
      <Refusals reasons={brand.reasons} />
      <section aria-label="Today's use">
        <Title order={3} mb="xs">
          Today's use
        </Title>
        {use.error ? (
          <ErrorState error={use.error} retry={() => void use.refetch()} />
        ) : use.data ? (
          <Use name="Brand" segments={use.data.segments} most={use.data.segments_per_day} />
        ) : (
          <Skeleton h={40} />
        )}
        <Text size="xs" c="dimmed" mt={4}>
          Segments that T-Mobile takes of the whole brand in a day, from midnight to midnight Pacific. What is over it
          waits for the next day.
        </Text>
      </section>
      <section aria-label="10DLC campaigns">
        <Title order={3} mb="xs">
          10DLC campaigns
        </Title>
        {campaigns.error ? (
          <ErrorState error={campaigns.error} retry={() => void campaigns.refetch()} />
        ) : campaigns.data === undefined ? (
          <Skeleton h={80} />
        ) : campaigns.data.campaigns.length === 0 ? (
          <Text size="sm" c="dimmed">
            None yet. An approved brand registers what it texts for.
          </Text>
        ) : (
          <Stack gap="sm">
            {campaigns.data.campaigns.map((campaign) => (
              <CampaignCard
                key={campaign.campaignId}
                campaign={campaign}
                used={
                  use.data && (use.data.campaigns.find((one) => one.campaignId === campaign.campaignId)?.segments ?? 0)
                }
              />
            ))}
          </Stack>
        )}
      </section>
      <Fields
        items={[
          ["Company", brand.companyName || "–"],
          ["Tax number (EIN)", brand.ein || "–"],
          ["Kind", wordsOfKind(brand.entityType)],
          ["Industry", wordsOfKind(brand.vertical)],
          ["Vetting score", brand.score === null ? "Not vetted" : `${brand.score} of 100`],
          ["E-mail", brand.email],
          ["Website", brand.website || "–"],
        ]}
      />
    </Stack>
  );
}

/** When it was submitted, and when it last changed: the registry does not say when it decided. */
function Steps({ of }: { of: Pick<Brand, "status" | "created_at" | "updated_at"> }) {
  const isDecided = of.status !== "PENDING";
  return (
    <Timeline active={isDecided ? 2 : 1} bulletSize={16} lineWidth={2} aria-label="Status">
      <Timeline.Item title="Submitted">
        <Text size="xs" c="dimmed">
          <Time at={of.created_at} exact />
        </Text>
      </Timeline.Item>
      <Timeline.Item title="In review">
        <Text size="xs" c="dimmed">
          {isDecided ? "Done" : "Now"}
        </Text>
      </Timeline.Item>
      <Timeline.Item title={isDecided ? registryState(of.status).label : "Decision"}>
        <Text size="xs" c="dimmed">
          {isDecided ? (
            <>
              Last changed <Time at={of.updated_at} exact />
            </>
          ) : (
            "To come"
          )}
        </Text>
      </Timeline.Item>
    </Timeline>
  );
}

function Refusals({ reasons }: { reasons: readonly string[] }) {
  if (reasons.length === 0) return null;
  return (
    <Alert color="red" title="Why it was refused">
      {reasons.map((reason) => (
        <Text key={reason} size="sm">
          {refusalOf(reason)}
        </Text>
      ))}
    </Alert>
  );
}

/** `segments` is undefined while it is not known. */
function Use({ name, segments, most }: { name: string; segments: number | undefined; most: number }) {
  if (segments === undefined) {
    return <Text size="sm">Today's use is not known yet, of {whole(most)} segments</Text>;
  }
  const share = most === 0 ? 0 : segments / most;
  return (
    <>
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {whole(segments)} of {whole(most)} segments
        </Text>
        <Text size="sm">{percent(segments, most)}</Text>
      </Group>
      <Progress value={Math.min(100, share * 100)} aria-label={`Today's use: ${name}`} mt={4} />
    </>
  );
}

function CampaignCard({ campaign, used }: { campaign: Campaign; used: number | undefined }) {
  const { segments_per_minute, campaign_segments_per_day } = campaign.limits;
  return (
    <Paper p="md">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600}>{wordsOfKind(campaign.useCase)}</Text>
          <StatusOf status={campaign.status} />
        </Group>
        <Text size="sm">{campaign.description}</Text>
        <Refusals reasons={campaign.reasons} />
        {campaign_segments_per_day !== null && (
          <Use name={wordsOfKind(campaign.useCase)} segments={used} most={campaign_segments_per_day} />
        )}
        <Text size="xs" c="dimmed">
          {[
            campaign.class && `Class ${campaign.class}`,
            segments_per_minute !== null && `${whole(segments_per_minute)} segments a minute`,
            campaign_segments_per_day === null &&
              used !== undefined &&
              `${whole(used)} segments today, by the brand's budget`,
            campaign.phone_numbers.length > 0
              ? campaign.phone_numbers.slice(0, 3).map(formatPhone).join(", ") +
                (campaign.phone_numbers.length > 3 ? ` and ${campaign.phone_numbers.length - 3} more` : "")
              : "no number yet",
          ]
            .filter(Boolean)
            .join(" · ")}
        </Text>
      </Stack>
    </Paper>
  );
}
