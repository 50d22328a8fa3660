import { Button, Select, Skeleton } from "@mantine/core";
import { useState } from "react";
import { useAnswer } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { IconRefresh } from "#parts/icons/tabler.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { Rehearsal } from "./rehearsal.tsx";

const ABOUT = "Talk to an agent as a contact would. Nothing is sent to anybody.";
/** As many as an organization may have in one answer. */
const MOST_AGENTS = 500;

/** A made-up conversation with an agent: `?agent=` says which. */
export function Component() {
  const { organization_id } = useOrganization();
  const mayWrite = useCan("write");
  const [filters, setFilters] = useSearchFilters(["agent"]);
  const [round, setRound] = useState(0);
  const answer = useAnswer("GET /v1/agents", { query: { organization_id, limit: MOST_AGENTS } });
  const agents = answer.data?.agents;
  const agent = agents?.find(({ agent_id }) => agent_id === filters.agent) ?? agents?.[0];
  if (!mayWrite) {
    return (
      <>
        <PageHeader title="Playground" about={ABOUT} />
        <EmptyState
          title="You may not try agents"
          text="Trying an agent costs what its language model costs. An admin can allow it."
        />
      </>
    );
  }
  const choice = (type: "sms" | "voice") =>
    (agents ?? [])
      .filter(({ agent_type }) => agent_type === type)
      .map(({ agent_id, agent_name }) => ({ value: agent_id, label: agent_name }));
  return (
    <>
      <PageHeader
        title="Playground"
        about={ABOUT}
        actions={
          agent && (
            <>
              <Select
                aria-label="Agent"
                w={220}
                searchable
                allowDeselect={false}
                nothingFoundMessage="No agent has that name"
                data={[
                  { group: "By text", items: choice("sms") },
                  { group: "By phone", items: choice("voice") },
                ].filter(({ items }) => items.length > 0)}
                value={agent.agent_id}
                onChange={(agent_id) => setFilters({ agent: agent_id })}
              />
              <Button
                variant="default"
                leftSection={<IconRefresh size={15} />}
                onClick={() => setRound((count) => count + 1)}
              >
                Start again
              </Button>
            </>
          )
        }
      />
      {answer.error && agents === undefined && <ErrorState error={answer.error} retry={() => void answer.refetch()} />}
      {answer.isPending && <Skeleton h={360} />}
      {agents?.length === 0 && (
        <EmptyState
          title="There is no agent to talk to"
          text="Make one first; then you can try here what it says."
          action={<LinkButton to="/agents/new">New agent</LinkButton>}
        />
      )}
      {agent && <Rehearsal key={`${agent.agent_id} ${agent.version} ${round}`} agent={agent} />}
    </>
  );
}
