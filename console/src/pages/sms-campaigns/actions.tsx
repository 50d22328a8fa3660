import { ActionIcon, Button, Menu, Modal, Skeleton, Tooltip } from "@mantine/core";
import { useEffect, useEffectEvent, useState } from "react";
import { useNavigate } from "react-router";
import { pathOf } from "#api/client.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan, useSession } from "#api/session.ts";
import { AddLeads } from "#parts/campaigns/add-leads.tsx";
import { audienceBody } from "#parts/campaigns/audience.tsx";
import { PauseOrResume } from "#parts/campaigns/control.tsx";
import { EditCampaign } from "#parts/campaigns/edit.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import {
  IconCopy,
  IconDots,
  IconDownload,
  IconListSearch,
  IconRefresh,
  IconSend,
  IconUserPlus,
} from "#parts/icons/tabler.ts";
import { ErrorState } from "#parts/page/error-state.tsx";
import { whole } from "#parts/show/figures.tsx";
import { bodyOf, type Campaign, draftOf } from "./draft.ts";
import { PreflightView } from "./preflight-view.tsx";
import { SendTest } from "./send-test.tsx";

const STALE = [
  "GET /v1/campaigns",
  "GET /v1/campaigns/:campaign_id",
  "GET /v1/campaigns/:campaign_id/leads",
  "GET /v1/campaigns/:campaign_id/reasons",
] as const;
type Shown = "test" | "leads" | "ahead" | undefined;

/** What can be done with a campaign. */
export function Actions({ campaign }: { campaign: Campaign }) {
  const { campaign_id, status, recipients, waiting_because } = campaign;
  const params = { campaign_id };
  const maySend = useCan("send");
  const session = useSession();
  const navigate = useNavigate();
  const [shown, setShown] = useState<Shown>();
  const pause = useSend("POST /v1/campaigns/:campaign_id/pause", STALE);
  const resume = useSend("POST /v1/campaigns/:campaign_id/resume", STALE);
  const change = useSend("PATCH /v1/campaigns/:campaign_id", STALE);
  const add = useSend("POST /v1/campaigns/:campaign_id/leads", STALE);
  const agent = useAnswer(
    "GET /v1/agents/:agent_id",
    shown === "test" ? { params: { agent_id: campaign.sms_agent_id } } : undefined,
  ).data?.agent;
  const isOpen = status === "processing" || status === "active";
  const failed = recipients.failed ?? 0;
  const again = (state?: string) =>
    void navigate(`/sms-campaigns/new?from=${encodeURIComponent(campaign_id)}${state ? `&state=${state}` : ""}`);
  const body = () => bodyOf(draftOf(campaign, null), { organizationId: campaign.organization_id, session, agent });
  const close = () => setShown(undefined);

  return (
    <>
      {maySend && (
        <PauseOrResume
          isOpen={isOpen}
          isPaused={status === "paused"}
          pause={{ isPending: pause.isPending, run: () => pause.mutate({ params }) }}
          resume={{ isPending: resume.isPending, run: () => resume.mutate({ params }) }}
        />
      )}
      {maySend && (
        <EditCampaign
          campaign={campaign}
          stage={status === "paused" ? "paused" : waiting_because === "not_begun" ? "not_begun" : "going_on"}
          verb="Texts"
          save={(body) => change.mutateAsync({ params, body })}
        />
      )}
      {maySend && (
        <Button variant="default" leftSection={<IconUserPlus size={16} />} onClick={() => setShown("leads")}>
          Add people
        </Button>
      )}
      <CopyAsCurl operation="GET /v1/campaigns/:campaign_id" args={{ params }} />
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Tooltip label="More">
            <ActionIcon variant="default" size={32} aria-label="More actions">
              <IconDots size={16} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          {maySend && (
            <Menu.Item leftSection={<IconSend size={16} />} onClick={() => setShown("test")}>
              Send a test to me
            </Menu.Item>
          )}
          {maySend && failed > 0 && (
            <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => again("failed")}>
              Text the {whole(failed)} failed again
            </Menu.Item>
          )}
          {maySend && (
            <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => again()}>
              New campaign from this one
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconListSearch size={16} />} onClick={() => setShown("ahead")}>
            What is still ahead
          </Menu.Item>
          <Menu.Item
            leftSection={<IconDownload size={16} />}
            component="a"
            href={pathOf("GET /v1/campaigns/:campaign_id/leads/export.csv", { params })}
            download
          >
            Export recipients as CSV
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <AddLeads
        isOpen={shown === "leads"}
        close={close}
        add={async (audience) => {
          const { contacts = [], ...stored } = audienceBody(audience);
          const { details } = await add.mutateAsync({ params, body: { clients: contacts, ...stored } });
          return `${whole(details.leads_added)} added, ${whole(details.leads_skipped)} passed over.`;
        }}
      />
      {agent && (
        <SendTest
          isOpen={shown === "test"}
          close={close}
          agent={agent}
          name={campaign.campaign_name ?? campaign_id}
          body={body}
        />
      )}
      <Modal opened={shown === "ahead"} onClose={close} title="What is still ahead" size="xl">
        <Ahead campaignId={campaign_id} />
      </Modal>
    </>
  );
}

/** Asked anew each time that it is opened. */
function Ahead({ campaignId }: { campaignId: string }) {
  const check = useSend("POST /v1/campaigns/:campaign_id/preflight");
  const ask = useEffectEvent(() => check.mutate({ params: { campaign_id: campaignId } }));
  useEffect(() => ask(), []);
  if (check.error) {
    return <ErrorState error={check.error} retry={() => check.mutate({ params: { campaign_id: campaignId } })} />;
  }
  return check.data ? <PreflightView preflight={check.data.preflight} /> : <Skeleton h={240} />;
}
