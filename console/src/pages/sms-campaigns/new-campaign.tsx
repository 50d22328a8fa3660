import { Button } from "@mantine/core";
import { useState } from "react";
import { call } from "#api/client.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useOrganization, useSession } from "#api/session.ts";
import { AudienceField } from "#parts/campaigns/audience.tsx";
import { CheckStep } from "#parts/campaigns/check.tsx";
import { ScheduleFields } from "#parts/campaigns/schedule.tsx";
import { type CampaignKind, NewCampaign, useCopied, useWizard, Wizard } from "#parts/campaigns/wizard.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { type Body, bodyOf, type Draft, draftOf, EMPTY, stepOf } from "./draft.ts";
import { Drips } from "./drips.tsx";
import { type Preflight, PreflightView } from "./preflight-view.tsx";
import { SendTest } from "./send-test.tsx";
import { SetupStep } from "./setup-step.tsx";

const KIND: CampaignKind = {
  title: "New SMS campaign",
  back: { to: "/sms-campaigns", label: "SMS campaigns" },
  refusal: "You may not send",
};

/** A new campaign, from nothing or as a copy. */
export function Component() {
  const { from, state } = useCopied();
  const source = useAnswer("GET /v1/campaigns/:campaign_id", from ? { params: { campaign_id: from } } : undefined);
  return (
    <NewCampaign kind={KIND} source={source}>
      {(name) => (
        <SmsWizard
          key={name}
          name={`sms${name}`}
          first={() => (source.data && from ? draftOf(source.data.campaign, state) : EMPTY)}
        />
      )}
    </NewCampaign>
  );
}

function SmsWizard({ name, first }: { name: string; first: () => Draft }) {
  const { organization_id } = useOrganization();
  const session = useSession();
  const [isTest, setTest] = useState(false);
  const launch = useSend("POST /v1/campaigns", ["GET /v1/campaigns"], { isShown: true });
  const wizard = useWizard<Draft, Preflight>(name, first, {
    preflight: async () => (await call("POST /v1/campaigns/preflight", { body: body() })).preflight,
    launch: async () => (await launch.mutateAsync({ body: body() })).campaign_id,
    audience: "contacts",
    number: "svc_sms_number",
    path: KIND.back.to,
  });
  const { draft, edit, errors, failure } = wizard;
  const agent = useAnswer(
    "GET /v1/agents/:agent_id",
    draft.agentId ? { params: { agent_id: draft.agentId } } : undefined,
  ).data?.agent;
  const body = (): Body => bodyOf(draft, { organizationId: organization_id, session, agent });

  return (
    <>
      <Wizard
        kind={KIND}
        of={wizard}
        isLaunching={launch.isPending}
        steps={[
          { key: "setup", title: "Set up", content: <SetupStep draft={draft} edit={edit} errors={errors} /> },
          {
            key: "audience",
            title: "Audience",
            content: (
              <AudienceField
                value={draft.audience}
                onChange={(audience) => edit({ audience })}
                error={errors.contacts ?? errors.list_id ?? errors.from_campaign}
              />
            ),
          },
          {
            key: "schedule",
            title: "Schedule",
            content: (
              <>
                <ScheduleFields
                  verb="Texts"
                  value={draft.schedule}
                  onChange={(schedule) => edit({ schedule })}
                  errors={errors}
                />
                <Drips agent={agent} />
              </>
            ),
          },
          {
            key: "check",
            title: "Check and launch",
            content: (
              <CheckStep
                check={wizard.check}
                failure={failure}
                stepOf={stepOf}
                view={(preflight) => <PreflightView preflight={preflight} />}
                actions={
                  <>
                    {agent && failure === undefined && (
                      <Button variant="default" onClick={() => setTest(true)}>
                        Send a test to me
                      </Button>
                    )}
                    {failure === undefined && draft.audience.kind !== "paste" && (
                      <CopyAsCurl operation="POST /v1/campaigns" args={{ body: body() }} />
                    )}
                  </>
                }
              />
            ),
          },
        ]}
      />
      {agent && <SendTest isOpen={isTest} close={() => setTest(false)} agent={agent} name={draft.name} body={body} />}
    </>
  );
}
