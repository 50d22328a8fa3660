import { Alert, Button, Group, Paper, Skeleton } from "@mantine/core";
import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { call } from "#api/client.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan, useOrganization, useSession } from "#api/session.ts";
import { AudienceField } from "#parts/campaign-audience.tsx";
import { CheckStep } from "#parts/campaign-check.tsx";
import { useDraft } from "#parts/campaign-draft.ts";
import { type CampaignFailure, campaignErrors } from "#parts/campaign-errors.ts";
import { ScheduleFields } from "#parts/campaign-schedule.tsx";
import { Steps } from "#parts/campaign-steps.tsx";
import { CopyAsCurl } from "#parts/copy-as-curl.tsx";
import { EmptyState } from "#parts/empty-state.tsx";
import { ErrorState } from "#parts/error-state.tsx";
import { PageHeader } from "#parts/page-header.tsx";
import { bodyOf, type Draft, draftOf, EMPTY, stepOf } from "./draft.ts";
import { Drips } from "./drips.tsx";
import { PreflightView } from "./preflight-view.tsx";
import { SendTest } from "./send-test.tsx";
import { SetupStep } from "./setup-step.tsx";

const BACK = { to: "/sms-campaigns", label: "SMS campaigns" };

/** A new campaign, from nothing or as a copy: `?from=<campaign>`, of its recipients in `&state=`. */
export function Component() {
  const [search] = useSearchParams();
  const maySend = useCan("send");
  const from = search.get("from");
  const source = useAnswer("GET /v1/campaigns/:campaign_id", from ? { params: { campaign_id: from } } : undefined);
  if (!maySend) {
    return (
      <>
        <PageHeader title="New SMS campaign" back={BACK} />
        <EmptyState
          title="You may not send"
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
      name={from ? `sms-${from}-${state}` : "sms"}
      first={() => (source.data && from ? draftOf(source.data.campaign, state) : EMPTY)}
    />
  );
}

function Wizard({ name, first }: { name: string; first: () => Draft }) {
  const { organization_id } = useOrganization();
  const session = useSession();
  const navigate = useNavigate();
  const { draft, change, startOver, isFound } = useDraft(`${name}-${organization_id}`, first);
  const [failure, setFailure] = useState<CampaignFailure>();
  const [isTest, setTest] = useState(false);
  const errors = failure?.fields ?? {};
  const agent = useAnswer(
    "GET /v1/agents/:agent_id",
    draft.agentId ? { params: { agent_id: draft.agentId } } : undefined,
  ).data?.agent;
  const launch = useSend("POST /v1/campaigns", ["GET /v1/campaigns"], { isShown: true });

  const body = () => bodyOf(draft, { organizationId: organization_id, session, agent });
  const edit = (some: Partial<Draft>) => {
    setFailure(undefined);
    change(some);
  };
  const fail = (error: unknown) => setFailure(campaignErrors(error, "contacts", "svc_sms_number"));
  const check = async () => {
    setFailure(undefined);
    try {
      return (await call("POST /v1/campaigns/preflight", { body: body() })).preflight;
    } catch (error) {
      fail(error);
      return undefined;
    }
  };
  const start = async () => {
    try {
      const { campaign_id } = await launch.mutateAsync({ body: body() });
      startOver();
      await navigate(`/sms-campaigns/${encodeURIComponent(campaign_id)}`);
    } catch (error) {
      fail(error);
    }
  };

  return (
    <>
      <PageHeader title="New SMS campaign" back={BACK} />
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
                  check={check}
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
          last={
            <Button loading={launch.isPending} onClick={start} disabled={failure !== undefined}>
              Launch
            </Button>
          }
        />
      </Paper>
      {agent && <SendTest isOpen={isTest} close={() => setTest(false)} agent={agent} name={draft.name} body={body} />}
    </>
  );
}
