import { Paper, Stack, Title } from "@mantine/core";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { DeleteCampaign } from "#parts/campaigns/control.tsx";
import { windowInWords } from "#parts/campaigns/schedule.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { Time } from "#parts/show/time.tsx";
import { wordOf } from "#parts/show/words.ts";
import type { Campaign } from "./draft.ts";

/** How the campaign was set up. */
export function SetupCard({ campaign }: { campaign: Campaign }) {
  const maySend = useCan("send");
  const { organization_id } = useOrganization();
  const agents = useAnswer("GET /v1/agents", { query: { organization_id, agent_type: "voice", limit: 500 } });
  const agent = agents.data?.agents.find((agent) => agent.voice_agent_id === campaign.voice_agent_id);
  const remove = useSend("DELETE /v1/voice/campaigns/:campaign_id", ["GET /v1/voice/campaigns"]);
  const { campaign_id, calling_window, redial_config: redial } = campaign;
  return (
    <Paper p="md" component="section" aria-label="Set up">
      <Stack gap="sm" align="stretch">
        <Title order={2}>Set up</Title>
        <Fields
          items={[
            ["Agent", `${agent?.agent_name ?? "The agent"}, version ${campaign.agent_version}`],
            ["Calls from", campaign.agent_outbound_numbers.map(formatPhone).join(", ")],
            ["Hours", calling_window ? windowInWords(calling_window) : "All that the law allows"],
            ["Begins", <Time key="b" at={campaign.campaign_begin_time} exact />],
            ["Ends", <Time key="e" at={campaign.campaign_end_time} exact />],
            [
              "Calls again",
              redial
                ? `${(redial.retry_on ?? []).map((outcome) => wordOf("result", outcome).label.toLowerCase()).join(", ")}: up to ${redial.max_attempts} calls, ${redial.retry_delay_minutes} min in between`
                : "Nobody",
            ],
            campaign.objective !== null && campaign.objective !== "" && ["Objective", campaign.objective],
            ["Id", campaign_id],
          ]}
        />
        {maySend && (
          <DeleteCampaign
            text="Nobody is called any more; calls that go on come to their end. Its calls and recordings stay."
            remove={() => remove.mutateAsync({ params: { campaign_id } })}
            back="/voice-campaigns"
          />
        )}
      </Stack>
    </Paper>
  );
}
