import { Button } from "@mantine/core";
import { useState } from "react";
import { call } from "#api/client.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useOrganization, useSession } from "#api/session.ts";
import { type CampaignKind, NewCampaign, useCopied, useWizard } from "#parts/campaigns/wizard.tsx";
import { WizardSteps } from "#parts/campaigns/wizard-steps.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { type Body, bodyOf, type Draft, draftOf, EMPTY } from "./draft.ts";
import { Drips } from "./drips.tsx";
import { type Preflight, PreflightView } from "./preflight-view.tsx";
import { SendTest } from "./send-test.tsx";
import { SetupStep } from "./setup-step.tsx";

const KIND: CampaignKind = {
  key: "sms",
  title: "New SMS campaign",
  back: { to: "/sms-campaigns", label: "SMS campaigns" },
  refusal: "You may not send",
};

/** A new campaign, from nothing or as a copy. */
export function Component() {
  const copied = useCopied();
  const source = useAnswer(
    "GET /v1/campaigns/:campaign_id",
    copied.from ? { params: { campaign_id: copied.from } } : undefined,
  );
  return <NewCampaign kind={KIND} copied={copied} source={source} empty={EMPTY} draftOf={draftOf} Form={SmsWizard} />;
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
  const { draft, edit, errors } = wizard;
  const agent = useAnswer(
    "GET /v1/agents/:agent_id",
    draft.agentId ? { params: { agent_id: draft.agentId } } : undefined,
  ).data?.agent;
  const body = (): Body => bodyOf(draft, { organizationId: organization_id, session, agent });

  return (
    <>
      <WizardSteps
        kind={KIND}
        of={wizard}
        isLaunching={launch.isPending}
        setup={<SetupStep draft={draft} edit={edit} errors={errors} />}
        verb="Texts"
        missing={{
          sms_agent_id: !draft.agentId && "Choose an agent",
          svc_sms_number: draft.sender.trim() === "" && "Choose a sender",
        }}
        launch={{ verb: "Text", people: (preflight) => preflight.recipients.will_be_texted }}
        underSchedule={<Drips agent={agent} />}
        view={(preflight) => <PreflightView preflight={preflight} />}
        actions={
          agent && (
            <Button variant="default" onClick={() => setTest(true)}>
              Send a test to me
            </Button>
          )
        }
        curl={() => <CopyAsCurl operation="POST /v1/campaigns" args={{ body: body() }} />}
      />
      {agent && <SendTest isOpen={isTest} close={() => setTest(false)} agent={agent} name={draft.name} body={body} />}
    </>
  );
}
