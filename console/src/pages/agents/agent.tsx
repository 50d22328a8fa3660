import { Skeleton, Stack, Tabs } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { useDraft } from "#parts/campaigns/draft.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { LinkButton } from "#parts/form/link-button.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { useTemplateFields } from "#parts/form/template-fields.ts";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { Time } from "#parts/show/time.tsx";
import classes from "./agents.module.css";
import { Builder } from "./builder.tsx";
import { type Agent, changesOf, type Draft, draftOf } from "./draft.ts";
import { useFailure } from "./failure.ts";
import { Preview } from "./preview.tsx";
import { Questions } from "./questions.tsx";
import { SaveBar } from "./save-bar.tsx";
import { Versions } from "./versions.tsx";

const BACK = { to: "/agents", label: "Agents" };

/** One agent: what it is, and what it was. */
export function Component() {
  const { agent_id = "" } = useParams();
  const [filters, setFilters] = useSearchFilters(["tab"]);
  const answer = useAnswer("GET /v1/agents/:agent_id", { params: { agent_id } });
  const agent = answer.data?.agent;
  if (agent === undefined) {
    return (
      <>
        <PageHeader title="Agent" back={BACK} />
        {answer.error ? <ErrorState error={answer.error} retry={() => void answer.refetch()} /> : <Skeleton h={320} />}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={agent.agent_name}
        back={BACK}
        about={
          <>
            {agent.agent_type === "sms" ? "Texts" : "Calls"}, version {agent.version}, changed{" "}
            <Time at={agent.updated_at} />
          </>
        }
        actions={<Actions agent={agent} />}
      />
      <Tabs
        value={filters.tab ?? "builder"}
        onChange={(tab) => setFilters({ tab: tab === "builder" ? null : tab })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="builder">Builder</Tabs.Tab>
          <Tabs.Tab value="questions">Questions</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="builder">
          <Form key={`${agent.agent_id} ${agent.version}`} agent={agent} />
        </Tabs.Panel>
        <Tabs.Panel value="questions">
          <Questions agent={agent} />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <Versions agent={agent} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Actions({ agent: { agent_id, agent_name } }: { agent: Agent }) {
  const mayWrite = useCan("write");
  const navigate = useNavigate();
  const remove = useSend("DELETE /v1/agents/:agent_id", ["GET /v1/agents"]);
  return (
    <>
      {mayWrite && (
        <LinkButton variant="default" to={`/playground?agent=${encodeURIComponent(agent_id)}`}>
          Try it
        </LinkButton>
      )}
      <CopyAsCurl operation="GET /v1/agents/:agent_id" args={{ params: { agent_id } }} />
      {mayWrite && (
        <ConfirmButton
          c="red"
          variant="subtle"
          title={`Delete ${agent_name}?`}
          text="Campaigns that are over keep what they were run with. This cannot be taken back."
          confirm="Delete"
          onConfirm={async () => {
            await remove.mutateAsync({ params: { agent_id } });
            await navigate("/agents");
          }}
        >
          Delete
        </ConfirmButton>
      )}
    </>
  );
}

/** What was changed and not saved, and of which version. */
type Changed = { changed: Partial<Draft>; version: number };

function Form({ agent }: { agent: Agent }) {
  const { agent_id, version } = agent;
  const mayWrite = useCan("write");
  const variables = useTemplateFields();
  const first = draftOf(agent);
  // Only what was changed is kept: it outlasts a version that somebody else makes, or the questions do, and takes nothing of that back.
  const { draft: kept, change, startOver } = useDraft(`agent-${agent_id}`, (): Changed => ({ changed: {}, version }));
  const draft = { ...first, ...kept.changed };
  const { errors, failure, fail, clear } = useFailure();
  const update = useSend(
    "PATCH /v1/agents/:agent_id",
    [
      "GET /v1/agents",
      "GET /v1/agents/:agent_id",
      "GET /v1/agents/:agent_id/script",
      "GET /v1/agents/:agent_id/versions",
    ],
    { isShown: true },
  );
  const body = changesOf(first, draft);
  const changed = Object.keys(body).length;
  const edit = (some: Partial<Draft>) => {
    clear();
    change({ changed: { ...kept.changed, ...some }, version: changed === 0 ? version : kept.version });
  };
  const save = async () => {
    try {
      await update.mutateAsync({ params: { agent_id }, body });
      startOver();
    } catch (error) {
      fail(error);
    }
  };
  return (
    <div className={classes.builder}>
      <Stack gap="md">
        <fieldset disabled={!mayWrite} className={classes.plain}>
          <Builder draft={draft} edit={edit} errors={errors} variables={variables} />
        </fieldset>
        {mayWrite && changed > 0 && (
          <SaveBar
            text={`${changed === 1 ? "1 change" : `${changed} changes`}${kept.version === version ? "" : ` to version ${kept.version}, which has been changed since`}, not saved. Campaigns that run keep the version they started with.`}
            save={`Save as version ${version + 1}`}
            isBusy={update.isPending}
            onSave={save}
            onDiscard={() => {
              clear();
              startOver();
            }}
            failure={failure}
          />
        )}
      </Stack>
      <div className={classes.aside}>
        <Preview draft={draft} variables={variables} />
      </div>
    </div>
  );
}
