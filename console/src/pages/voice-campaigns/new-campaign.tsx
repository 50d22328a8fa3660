import { Alert, Button, Group, Paper, Skeleton } from "@mantine/core";
import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { call } from "#api/client.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan, useOrganization, useSession } from "#api/session.ts";
import { AudienceField } from "#parts/campaign-audience.tsx";
import { CheckStep } from "#parts/campaign-check.tsx";
import { useDraft } from "#parts/campaign-draft.ts";
import { campaignErrors } from "#parts/campaign-errors.ts";
import { ScheduleFields } from "#parts/campaign-schedule.tsx";
import { Steps } from "#parts/campaign-steps.tsx";
import { CopyAsCurl } from "#parts/copy-as-curl.tsx";
import { EmptyState } from "#parts/empty-state.tsx";
import { ErrorState } from "#parts/error-state.tsx";
import { PageHeader } from "#parts/page-header.tsx";
import { bodyOf, type Draft, draftOf, EMPTY, stepOf } from "./draft.ts";
import { PaceStep } from "./pace-step.tsx";
import { PreflightView } from "./preflight-view.tsx";
import { SetupStep } from "./setup-step.tsx";

const BACK = { to: "/voice-campaigns", label: "Voice campaigns" };

/** A new voice campaign, from nothing or as a copy: `?from=<campaign>`, of its recipients in `&state=`. */
export function Component() {
  const [search] = useSearchParams();
  const maySend = useCan("send");
  const from = search.get("from");
  const source = useAnswer(
    "GET /v1/voice/campaigns/:campaign_id",
    from ? { params: { campaign_id: from } } : undefined,
  );
  if (!maySend) {
    return (
      <>
        <PageHeader title="New voice campaign" back={BACK} />
        <EmptyState
          title="You may not call"
          text="Your account may look at campaigns, not start them. An admin can change that."
        />
      </>
    );
  }
  if (from && source.error) return <ErrorState error={source.error} retry={() => void source.refetch()} />;
  if (from && source.isPending) return <Skeleton h={320} />;
  const state = search.get("state");
  return (
    <Wizard
      key={`${from} ${state}`}
      name={from ? `voice-${from}-${state}` : "voice"}
      first={() => (source.data && from ? draftOf(source.data.campaign, state) : EMPTY)}
    />
  );
}

function Wizard({ name, first }: { name: string; first: () => Draft }) {
  const { organization_id } = useOrganization();
  const session = useSession();
  const navigate = useNavigate();
  const { draft, change, startOver, isFound } = useDraft(`${name}-${organization_id}`, first);
  const [failure, setFailure] = useState<{ message: string; fields: Record<string, string> }>();
  const launch = useSend("POST /v1/voice/campaigns", ["GET /v1/voice/campaigns"], { isShown: true });
  const errors = failure?.fields ?? {};

  const body = () => bodyOf(draft, { organizationId: organization_id, session });
  const edit = (some: Partial<Draft>) => {
    setFailure(undefined);
    change(some);
  };
  const fail = (error: unknown) => setFailure(campaignErrors(error, "leads", "agent_outbound_number"));
  const check = async () => {
    setFailure(undefined);
    try {
      return (await call("POST /v1/voice/campaigns/preflight", { body: body() })).preflight;
    } catch (error) {
      fail(error);
      return undefined;
    }
  };
  const start = async () => {
    try {
      const { campaign_id } = await launch.mutateAsync({ body: body() });
      startOver();
      await navigate(`/voice-campaigns/${encodeURIComponent(campaign_id)}`);
    } catch (error) {
      fail(error);
    }
  };

  return (
    <>
      <PageHeader title="New voice campaign" back={BACK} />
      {isFound && (
        <Alert mb="md" py="xs" color="gray">
          <Group justify="space-between">
            What you had filled in is still here.
            <Button size="compact-xs" variant="default" onClick={startOver}>
              Start over
            </Button>
          </Group>
        </Alert>
      )}
      <Paper p={{ base: "md", xs: "xl" }} maw={880}>
        <Steps
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
                  check={check}
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
          last={
            <Button loading={launch.isPending} onClick={start} disabled={failure !== undefined}>
              Launch
            </Button>
          }
        />
      </Paper>
    </>
  );
}
