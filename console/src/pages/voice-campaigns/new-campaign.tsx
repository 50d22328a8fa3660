import { call } from "#api/client.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useOrganization, useSession } from "#api/session.ts";
import { type CampaignKind, NewCampaign, useCopied, useWizard } from "#parts/campaigns/wizard.tsx";
import { WizardSteps } from "#parts/campaigns/wizard-steps.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { type Body, bodyOf, type Draft, draftOf, EMPTY } from "./draft.ts";
import { PaceStep } from "./pace-step.tsx";
import { type Preflight, PreflightView } from "./preflight-view.tsx";
import { SetupStep } from "./setup-step.tsx";

const KIND: CampaignKind = {
  key: "voice",
  title: "New voice campaign",
  back: { to: "/voice-campaigns", label: "Voice campaigns" },
  refusal: "You may not call",
};

/** A new voice campaign, from nothing or as a copy. */
export function Component() {
  const copied = useCopied();
  const source = useAnswer(
    "GET /v1/voice/campaigns/:campaign_id",
    copied.from ? { params: { campaign_id: copied.from } } : undefined,
  );
  return <NewCampaign kind={KIND} copied={copied} source={source} empty={EMPTY} draftOf={draftOf} Form={VoiceWizard} />;
}

function VoiceWizard({ name, first }: { name: string; first: () => Draft }) {
  const { organization_id } = useOrganization();
  const session = useSession();
  const launch = useSend("POST /v1/voice/campaigns", ["GET /v1/voice/campaigns"], { isShown: true });
  const wizard = useWizard<Draft, Preflight>(name, first, {
    preflight: async () => (await call("POST /v1/voice/campaigns/preflight", { body: body() })).preflight,
    launch: async () => (await launch.mutateAsync({ body: body() })).campaign_id,
    audience: "leads",
    number: "agent_outbound_number",
    path: KIND.back.to,
  });
  const { draft, edit, errors } = wizard;
  const body = (): Body => bodyOf(draft, { organizationId: organization_id, session });

  return (
    <WizardSteps
      kind={KIND}
      of={wizard}
      isLaunching={launch.isPending}
      setup={<SetupStep draft={draft} edit={edit} errors={errors} />}
      verb="Calls"
      missing={{
        campaign_name: draft.name.trim() === "" && "Enter a name",
        voice_agent_id: !draft.agentId && "Choose an agent",
        agent_outbound_number: draft.numbers.length === 0 && "Choose a number",
      }}
      launch={{ verb: "Call", people: (preflight) => preflight.recipients.will_be_called }}
      more={[
        { key: "pace", title: "Pace and redial", content: <PaceStep draft={draft} edit={edit} errors={errors} /> },
      ]}
      view={(preflight) => <PreflightView preflight={preflight} />}
      curl={() => <CopyAsCurl operation="POST /v1/voice/campaigns" args={{ body: body() }} />}
    />
  );
}
