import { SegmentedControl, Select, Stack } from "@mantine/core";
import { useNavigate, useSearchParams } from "react-router";
import type { Args } from "#api/operations.ts";
import { useSend } from "#api/query.ts";
import { useCan, useOrganization, useSession } from "#api/session.ts";
import { TRADES, templateOf } from "#parts/agents/trades.ts";
import { useDraft } from "#parts/campaigns/draft.ts";
import { useOwnerId } from "#parts/form/owner.ts";
import { useTemplateFields } from "#parts/form/template-fields.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import classes from "./agents.module.css";
import { Builder } from "./builder.tsx";
import { type Draft, NEW_AGENT, wholeOf } from "./draft.ts";
import { useFailure } from "./failure.ts";
import { Preview } from "./preview.tsx";
import { SaveBar } from "./save-bar.tsx";
import { Section } from "./section.tsx";

const CHOICES = Object.entries(TRADES).map(([value, { label }]) => ({ value, label }));

const BACK = { to: "/agents", label: "Agents" };

/** A new agent; `?type=voice` for one that calls. */
export function Component() {
  const { organization_id } = useOrganization();
  const [search] = useSearchParams();
  const mayWrite = useCan("write");
  if (!mayWrite) {
    return (
      <>
        <PageHeader title="New agent" back={BACK} />
        <EmptyState
          title="You may not change agents"
          text="Your account may look at agents, not make them. An admin can change that."
        />
      </>
    );
  }
  return <Form key={organization_id} type={search.get("type") === "voice" ? "voice" : "sms"} />;
}

function Form({ type }: { type: Draft["agent_type"] }) {
  const { organization_id, organization_name } = useOrganization();
  const { user } = useSession();
  const owner = useOwnerId() ?? user.unique_id;
  const navigate = useNavigate();
  const variables = useTemplateFields();
  const { draft, change, startOver, isFound } = useDraft(`agent-new-${organization_id}`, () => ({
    ...NEW_AGENT,
    agent_type: type,
  }));
  const { errors, failure, fail, clear } = useFailure();
  const create = useSend("POST /v1/agents", ["GET /v1/agents"], { isShown: true });
  const edit = (some: Partial<Draft>) => {
    clear();
    change(some);
  };
  const save = async () => {
    try {
      const body = { ...wholeOf(draft), organization_id, user_id: owner };
      const { agent_id } = await create.mutateAsync({ body: body as Args<"POST /v1/agents">["body"] });
      startOver();
      await navigate(`/agents/${encodeURIComponent(agent_id)}`);
    } catch (error) {
      fail(error);
    }
  };
  return (
    <>
      <PageHeader
        title="New agent"
        back={BACK}
        actions={
          <SegmentedControl
            aria-label="Kind of agent"
            data={[
              { value: "sms", label: "Texts" },
              { value: "voice", label: "Calls" },
            ]}
            value={draft.agent_type}
            onChange={(value) => edit({ agent_type: value as Draft["agent_type"] })}
          />
        }
      />
      <div className={classes.builder}>
        <Stack gap="md">
          <Section
            title="Template"
            about="Fills in name, instructions, first words and fields. All of it can be changed."
          >
            <Select
              aria-label="Trade"
              placeholder="Choose a trade, or begin from nothing"
              data={CHOICES}
              searchable
              nothingFoundMessage="No such template"
              onChange={(value) => {
                const trade = value === null ? undefined : TRADES[value];
                if (trade) edit(templateOf(trade, draft.agent_type, organization_name));
              }}
            />
          </Section>
          <Builder draft={draft} edit={edit} errors={errors} variables={variables} />
          <SaveBar
            text={isFound ? "What you had filled in is still here." : "It can be changed at any time."}
            save="Create agent"
            isBusy={create.isPending}
            onSave={save}
            {...(isFound ? { onDiscard: startOver } : {})}
            failure={failure}
          />
        </Stack>
        <div className={classes.aside}>
          <Preview draft={draft} variables={variables} />
        </div>
      </div>
    </>
  );
}
