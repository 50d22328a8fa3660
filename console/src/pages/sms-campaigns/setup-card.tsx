import { Anchor, Paper, Stack, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { DeleteCampaign } from "#parts/campaigns/control.tsx";
import { windowInWords } from "#parts/campaigns/schedule.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { Time } from "#parts/show/time.tsx";
import type { Campaign } from "./draft.ts";

/** How the campaign was set up. */
export function SetupCard({ campaign }: { campaign: Campaign }) {
  const maySend = useCan("send");
  const agent = useAnswer("GET /v1/agents/:agent_id", { params: { agent_id: campaign.sms_agent_id } }).data?.agent;
  const remove = useSend("DELETE /v1/campaigns/:campaign_id", ["GET /v1/campaigns"]);
  const { campaign_id, calling_window, campaign_begin_time, campaign_end_time } = campaign;
  return (
    <Paper p="md" component="section" aria-label="Set up">
      <Stack gap="sm" align="stretch">
        <Title order={2}>Set up</Title>
        <Fields
          items={[
            [
              "Agent",
              <Anchor
                key="agent"
                component={Link}
                size="sm"
                to={`/agents/${encodeURIComponent(campaign.sms_agent_id)}`}
              >
                {agent?.agent_name ?? "The agent"}, version {campaign.agent_version}
              </Anchor>,
            ],
            ["Hours", calling_window ? windowInWords(calling_window) : "All that the law allows"],
            ["Begins", campaign_begin_time ? <Time key="b" at={campaign_begin_time} exact /> : "At once"],
            ["Ends", campaign_end_time ? <Time key="e" at={campaign_end_time} exact /> : "When everybody is reached"],
            campaign.objective !== null && campaign.objective !== "" && ["Objective", campaign.objective],
            campaign.media_urls.length > 0 && [
              "Pictures",
              <Stack key="p" gap={0}>
                {campaign.media_urls.map((url) =>
                  url === "{{media_url}}" ? (
                    <Text key={url} size="sm">
                      Each contact's own (media_url)
                    </Text>
                  ) : (
                    <Anchor
                      key={url}
                      size="sm"
                      href={url}
                      target="_blank"
                      rel="noopener noreferrer"
                      style={{ overflowWrap: "anywhere" }}
                    >
                      {url}
                    </Anchor>
                  ),
                )}
              </Stack>,
            ],
            campaign.details.voice_transfer_enabled && [
              "Calls come from",
              <PhoneNumber key="v" number={campaign.outbound_number} />,
            ],
            ["Created", <Time key="c" at={campaign.created_at} />],
            ["Id", campaign_id],
          ]}
        />
        {maySend && (
          <DeleteCampaign
            text="Nothing of it is sent any more. What was said stays in the conversations."
            remove={() => remove.mutateAsync({ params: { campaign_id } })}
            back="/sms-campaigns"
          />
        )}
      </Stack>
    </Paper>
  );
}
