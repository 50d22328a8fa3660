import { Anchor, Select, Text } from "@mantine/core";
import { Link } from "react-router";
import { usePages } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { ErrorState } from "#parts/page/error-state.tsx";

/** Chooses an agent of the organization: an SMS agent by its `agent_id`, a voice agent by its `voice_agent_id`. */
export function AgentSelect({
  type,
  label,
  description,
  value,
  onChange,
  error,
}: {
  type: "sms" | "voice";
  label: string;
  description?: string;
  value: string | null;
  onChange: (id: string | null) => void;
  error?: string | undefined;
}) {
  const { organization_id } = useOrganization();
  const agents = usePages("GET /v1/agents", "agents", { query: { organization_id, agent_type: type, limit: 500 } });
  const data = agents.rows.map(({ agent_id, voice_agent_id, agent_name }) => ({
    value: (type === "voice" ? voice_agent_id : agent_id) ?? agent_id,
    label: agent_name,
  }));
  if (agents.data !== undefined && data.length === 0) {
    return (
      <div>
        <Text size="sm" fw={550}>
          {label}
        </Text>
        <Text size="sm" c="dimmed">
          There is no {type === "sms" ? "SMS" : "voice"} agent yet.{" "}
          <Anchor component={Link} to="/agents/new" size="sm" underline="always">
            Make one
          </Anchor>
        </Text>
      </div>
    );
  }
  if (agents.error && data.length === 0) return <ErrorState error={agents.error} retry={() => void agents.refetch()} />;
  return (
    <Select
      label={label}
      description={description}
      required
      searchable
      placeholder={agents.isPending ? "Loading" : "Choose an agent"}
      nothingFoundMessage="No agent has that name"
      data={data}
      value={value}
      onChange={onChange}
      error={error}
    />
  );
}
