import { Paper, Skeleton } from "@mantine/core";
import { useRef, useState } from "react";
import { call } from "#api/client.ts";
import { ApiError } from "#api/error.ts";
import type { Args } from "#api/operations.ts";
import { useSend } from "#api/query.ts";
import { useCan, useOrganization, useSession } from "#api/session.ts";
import { type Body, bodyOf, EMPTY as EMPTY_CAMPAIGN } from "#pages/sms-campaigns/draft.ts";
import { type Preflight, PreflightView } from "#pages/sms-campaigns/preflight-view.tsx";
import { NO_AUDIENCE } from "#parts/campaigns/audience.tsx";
import { CheckStep } from "#parts/campaigns/check.tsx";
import { Launch } from "#parts/campaigns/launch.tsx";
import { useOwnNumbers } from "#parts/campaigns/number.tsx";
import { Steps } from "#parts/campaigns/steps.tsx";
import { useWizard } from "#parts/campaigns/wizard.tsx";
import { readPasted } from "#parts/contact-table/pasted.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { useOwnerId } from "#parts/form/owner.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { AgentStep } from "./agent-step.tsx";
import { ContactsStep } from "./contacts-step.tsx";
import { agentOf, type Draft, EMPTY } from "./draft.ts";
import { OpensLater } from "./opens-later.tsx";

const HEAD = { title: "First campaign", back: { to: "/sms-campaigns", label: "SMS campaigns" } };

/** A guide to a first campaign on simulated phones: agent, contacts, check, and then its conversations. */
export function Component() {
  const { mode } = useSession();
  const [maySend, mayWrite] = [useCan("send"), useCan("write")];
  if (mode === "test" && maySend && mayWrite) return <Guide />;
  return (
    <>
      <PageHeader {...HEAD} />
      <EmptyState
        title={mode === "test" ? "You may not send" : "The guide is for simulated phones"}
        text={
          mode === "test"
            ? "Your account may look at campaigns, not start them. An admin can change that."
            : "Turn to the simulator at the top of the page. A campaign that texts real phones is made by its form."
        }
        action={<LinkButton to="/sms-campaigns">SMS campaigns</LinkButton>}
      />
    </>
  );
}

function Guide() {
  const { organization_id } = useOrganization();
  const session = useSession();
  const owner = useOwnerId();
  const numbers = useOwnNumbers();
  /** How often the check was begun anew. */
  const [checks, setChecks] = useState(0);
  const launch = useSend("POST /v1/campaigns", ["GET /v1/campaigns"], { isShown: true });
  const wizard = useWizard<Draft, Preflight>("first", () => EMPTY, {
    preflight: async () => {
      const agentId = await save();
      return (await call("POST /v1/campaigns/preflight", { body: body(agentId) })).preflight;
    },
    launch: async (): Promise<string> =>
      (await launch.mutateAsync({ body: body(draft.saved?.agent_id ?? "") })).campaign_id,
    audience: "contacts",
    number: "svc_sms_number",
    path: "/sms-campaigns/first",
  });
  const { draft, edit, errors, failure } = wizard;
  const sender = draft.sender || (numbers?.[0] ?? "");
  /** In whose name, and with which number: a page that is loaded at its last step does not check before it knows. */
  const isKnown = owner !== undefined && (sender !== "" || numbers !== undefined);
  const body = (agentId: string): Body =>
    bodyOf(
      {
        ...EMPTY_CAMPAIGN,
        name: HEAD.title,
        agentId,
        sender,
        audience: { ...NO_AUDIENCE, kind: "paste", text: draft.text },
      },
      { organizationId: organization_id, session, ownerId: owner },
    );
  /** The agent as the last save left it, which the draft of a check that is under way may not show yet. */
  const saved = useRef(draft.saved);
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  /** Makes the agent, or changes the one that an earlier check has made. Answers its id. */
  const saveNow = async (): Promise<string> => {
    const fields = agentOf(draft);
    const as = JSON.stringify(fields);
    if (saved.current?.as === as) return saved.current.agent_id;
    const made = { ...fields, agent_type: "sms", organization_id, user_id: owner ?? session.user.unique_id };
    const changed = saved.current === null ? undefined : await changedAgent(saved.current.agent_id, fields);
    const { agent_id } = changed ?? (await call("POST /v1/agents", { body: made as Args<"POST /v1/agents">["body"] }));
    saved.current = { agent_id, as };
    wizard.note({ saved: saved.current });
    return agent_id;
  };
  /** One after the other: a check that is begun while another makes the agent makes no second one. */
  const save = (): Promise<string> => {
    const mine = saving.current.then(saveNow, saveNow);
    saving.current = mine;
    return mine;
  };

  const steps = [
    {
      key: "setup",
      title: "Agent",
      content: <AgentStep draft={{ ...draft, sender }} edit={edit} errors={errors} />,
      passes: () =>
        wizard.passes({
          trade: draft.trade === null && "Choose what you do",
          agent_name: draft.name.trim() === "" && "Enter a name",
          starting_message: draft.firstText.trim() === "" && "Enter a first text",
          prompt: draft.prompt.trim() === "" && "Enter instructions",
          svc_sms_number: sender === "" && "Get a number first",
        }),
    },
    {
      key: "audience",
      title: "Contacts",
      content: <ContactsStep draft={draft} edit={edit} error={wizard.audienceError} />,
      passes: () =>
        wizard.passes({
          contacts: readPasted(draft.text).contacts.length === 0 && "Enter a number, or put in simulated contacts",
        }),
    },
    {
      key: "check",
      title: "Check and start",
      content: !isKnown ? (
        <Skeleton h={240} />
      ) : (
        <CheckStep
          key={checks}
          check={wizard.check}
          failure={failure}
          view={(preflight) => (
            <>
              <OpensLater zones={preflight.zones} moved={() => setChecks(checks + 1)} />
              <PreflightView preflight={preflight} />
            </>
          )}
        />
      ),
    },
  ];
  const checked = failure === undefined || failure.isLost ? wizard.checked : undefined;
  return (
    <>
      <PageHeader {...HEAD} about="Three steps, on simulated phones. Then you play the contacts yourself." />
      <Paper p={{ base: "md", xs: "xl" }} maw={880}>
        <Steps
          steps={steps}
          last={
            <Launch
              verb="Text"
              count={checked?.recipients.will_be_texted}
              isBusy={launch.isPending}
              start={wizard.start}
            />
          }
        />
      </Paper>
    </>
  );
}

/** The agent with its fields changed; undefined where somebody has deleted it since. */
async function changedAgent(
  agent_id: string,
  body: ReturnType<typeof agentOf>,
): Promise<{ agent_id: string } | undefined> {
  try {
    return (await call("PATCH /v1/agents/:agent_id", { params: { agent_id }, body })).agent;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
