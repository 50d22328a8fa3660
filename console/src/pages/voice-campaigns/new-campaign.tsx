import { call } from "#api/client.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useOrganization, useSession } from "#api/session.ts";
import { AudienceField } from "#parts/campaigns/audience.tsx";
import { CheckStep } from "#parts/campaigns/check.tsx";
import { ScheduleFields } from "#parts/campaigns/schedule.tsx";
import { type CampaignKind, NewCampaign, useCopied, useWizard, Wizard } from "#parts/campaigns/wizard.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { type Body, bodyOf, type Draft, draftOf, EMPTY, stepOf } from "./draft.ts";
import { PaceStep } from "./pace-step.tsx";
import { type Preflight, PreflightView } from "./preflight-view.tsx";
import { SetupStep } from "./setup-step.tsx";

const KIND: CampaignKind = {
  title: "New voice campaign",
  back: { to: "/voice-campaigns", label: "Voice campaigns" },
  refusal: "You may not call",
};

/** A new voice campaign, from nothing or as a copy. */
export function Component() {
  const { from, state } = useCopied();
  const source = useAnswer(
    "GET /v1/voice/campaigns/:campaign_id",
    from ? { params: { campaign_id: from } } : undefined,
  );
  return (
    <NewCampaign kind={KIND} source={source}>
      {(name) => (
        <VoiceWizard
          key={name}
          name={`voice${name}`}
          first={() => (source.data && from ? draftOf(source.data.campaign, state) : EMPTY)}
        />
      )}
    </NewCampaign>
  );
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
  const { draft, edit, errors, failure } = wizard;
  const body = (): Body => bodyOf(draft, { organizationId: organization_id, session });

  return (
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
              error={errors.leads ?? errors.list_id ?? errors.from_campaign}
            />
          ),
        },
        {
          key: "schedule",
          title: "Schedule",
          content: (
            <ScheduleFields
              verb="Calls"
              value={draft.schedule}
              onChange={(schedule) => edit({ schedule })}
              errors={errors}
            />
          ),
        },
        { key: "pace", title: "Pace and redial", content: <PaceStep draft={draft} edit={edit} errors={errors} /> },
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
                failure === undefined &&
                draft.audience.kind !== "paste" && (
                  <CopyAsCurl operation="POST /v1/voice/campaigns" args={{ body: body() }} />
                )
              }
            />
          ),
        },
      ]}
    />
  );
}
