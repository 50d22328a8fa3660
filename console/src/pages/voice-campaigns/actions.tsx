import { ActionIcon, Button, Menu, TextInput, Tooltip } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { pathOf } from "#api/client.ts";
import { useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { AddLeads } from "#parts/campaigns/add-leads.tsx";
import { type Audience, audienceBody, NO_AUDIENCE } from "#parts/campaigns/audience.tsx";
import { PauseOrResume } from "#parts/campaigns/control.tsx";
import { EditCampaign } from "#parts/campaigns/edit.tsx";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import {
  IconCopy,
  IconDots,
  IconDownload,
  IconPhoneCall,
  IconRefresh,
  IconRotateClockwise,
  IconUserPlus,
} from "#parts/icons/tabler.ts";
import { whole } from "#parts/show/figures.tsx";
import { CallMe } from "./call-me.tsx";
import type { Campaign } from "./draft.ts";

const STALE = [
  "GET /v1/voice/campaigns",
  "GET /v1/voice/campaigns/:campaign_id",
  "GET /v1/voice/campaigns/:campaign_id/leads",
  "GET /v1/voice/campaigns/:campaign_id/calls",
  "GET /v1/voice/campaigns/:campaign_id/reasons",
] as const;

/** What can be done with a voice campaign. */
export function Actions({ campaign }: { campaign: Campaign }) {
  const { campaign_id, status, recipients, calls_in_progress, waiting_because } = campaign;
  const params = { campaign_id };
  const maySend = useCan("send");
  const navigate = useNavigate();
  const [adding, setAdding] = useState<Audience>();
  const [end, setEnd] = useState("");
  const [isCallingMe, setCallingMe] = useState(false);
  const pause = useSend("POST /v1/voice/campaigns/:campaign_id/pause", STALE);
  const resume = useSend("POST /v1/voice/campaigns/:campaign_id/resume", STALE);
  const stop = useSend("POST /v1/voice/campaigns/:campaign_id/stop-calls", STALE);
  const change = useSend("PATCH /v1/voice/campaigns/:campaign_id", STALE);
  const add = useSend("POST /v1/voice/campaigns/:campaign_id/leads", STALE);
  const isOpen = status === "scheduled" || status === "running";
  const [failed, expired] = [recipients.failed ?? 0, recipients.expired ?? 0];
  const again = (state?: string) =>
    void navigate(`/voice-campaigns/new?from=${encodeURIComponent(campaign_id)}${state ? `&state=${state}` : ""}`);
  if (!maySend) return <CopyAsCurl operation="GET /v1/voice/campaigns/:campaign_id" args={{ params }} />;

  return (
    <>
      <PauseOrResume
        isOpen={isOpen}
        isPaused={status === "paused"}
        pause={{ isPending: pause.isPending, run: () => pause.mutate({ params }) }}
        resume={{ isPending: resume.isPending, run: () => resume.mutate({ params }) }}
      />
      {(isOpen || calls_in_progress > 0) && (
        <ConfirmButton
          c="red"
          title="Stop all calls?"
          text={`The campaign is paused, and ${
            calls_in_progress === 0 ? "every call that goes on" : `the ${whole(calls_in_progress)} calls that go on`
          } are hung up in the middle of what is being said. Pause alone lets them come to their end.`}
          confirm="Stop all"
          onConfirm={() => stop.mutateAsync({ params })}
        >
          Stop all
        </ConfirmButton>
      )}
      <EditCampaign
        campaign={campaign}
        stage={status === "paused" ? "paused" : waiting_because === "not_begun" ? "not_begun" : "going_on"}
        verb="Calls"
        save={(body) => change.mutateAsync({ params, body })}
      />
      <Button variant="default" leftSection={<IconUserPlus size={16} />} onClick={() => setAdding(NO_AUDIENCE)}>
        Add people
      </Button>
      <CopyAsCurl operation="GET /v1/voice/campaigns/:campaign_id" args={{ params }} />
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Tooltip label="More">
            <ActionIcon variant="default" size={32} aria-label="More actions">
              <IconDots size={16} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPhoneCall size={16} />} onClick={() => setCallingMe(true)}>
            Call me as a test
          </Menu.Item>
          {expired > 0 && (
            <Menu.Item
              leftSection={<IconRotateClockwise size={16} />}
              onClick={() => setAdding({ ...NO_AUDIENCE, kind: "earlier", from: { campaign_id, status: "expired" } })}
            >
              Call the {whole(expired)} expired after all
            </Menu.Item>
          )}
          {failed > 0 && (
            <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => again("failed")}>
              Call the {whole(failed)} not reached again
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => again()}>
            New campaign from this one
          </Menu.Item>
          <Menu.Item
            leftSection={<IconDownload size={16} />}
            component="a"
            href={pathOf("GET /v1/voice/campaigns/:campaign_id/leads/export.csv", { params })}
            download
          >
            Export recipients as CSV
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <CallMe isOpen={isCallingMe} close={() => setCallingMe(false)} campaign={campaign} />
      <AddLeads
        key={adding?.kind}
        isOpen={adding !== undefined}
        first={adding ?? NO_AUDIENCE}
        close={() => setAdding(undefined)}
        add={async (audience) => {
          const { contacts = [], ...stored } = audienceBody(audience);
          const later = end === "" ? {} : { campaign_end_time: new Date(end).toISOString() };
          const { details } = await add.mutateAsync({ params, body: { leads: contacts, ...stored, ...later } });
          return `${whole(details.leads_added)} added, ${whole(details.leads_requeued)} to be called after all, ${whole(details.leads_skipped)} passed over.`;
        }}
      >
        <TextInput
          type="datetime-local"
          label="A later end"
          description="Who had expired is called after all, once the campaign's end is later. May stay empty."
          value={end}
          onChange={(event) => setEnd(event.currentTarget.value)}
        />
      </AddLeads>
    </>
  );
}
