import { Anchor, Stack, Text, Timeline, Title } from "@mantine/core";
import { Link } from "react-router";
import type { Agent } from "./draft.ts";

/** What the agent sends by itself to who does not answer. It belongs to the agent, and is changed there. */
export function Drips({ agent }: { agent: Agent | undefined }) {
  if (agent === undefined) return null;
  const drips = agent.drip_schedule ?? [];
  return (
    <Stack gap="sm" mt="xl" component="section" aria-label="Follow-ups">
      <Title order={3}>First text and follow-ups</Title>
      <Timeline bulletSize={14} lineWidth={2} active={-1}>
        <Timeline.Item title="At once">
          <Text size="sm" c="dimmed" style={{ whiteSpace: "pre-wrap" }}>
            {agent.starting_message ?? "The agent has no first text: a campaign cannot begin with it."}
          </Text>
        </Timeline.Item>
        {drips.map(({ day, message }) => (
          <Timeline.Item
            key={`${day} ${message}`}
            title={day === 0 ? "The same day" : day === 1 ? "A day later" : `${day} days later`}
          >
            <Text size="sm" c="dimmed" style={{ whiteSpace: "pre-wrap" }}>
              {message}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
      <Text size="sm" c="dimmed">
        {drips.length === 0 ? "There are no follow-ups. " : "Follow-ups end as soon as somebody answers. "}
        <Anchor component={Link} to={`/agents/${encodeURIComponent(agent.agent_id)}`} size="sm" underline="always">
          Change the agent
        </Anchor>
      </Text>
    </Stack>
  );
}
