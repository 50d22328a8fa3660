import { Alert, Anchor, Group, List, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Answer } from "#api/operations.ts";
import { useCan } from "#api/session.ts";
import { IconAlertTriangle } from "#parts/icons/tabler.ts";

type Checks = Answer<"GET /v1/overview">["overview"]["health"];

/** One quiet line while all systems are operational, else what is wrong with it. */
export function Health({ checks }: { checks: Checks | undefined }) {
  const isAdmin = useCan("admin");
  if (checks === undefined) return null;
  const wrong = checks.filter(({ problem }) => problem !== null);
  const more = isAdmin && (
    <Anchor component={Link} to="/system" size="sm" inherit={false}>
      System
    </Anchor>
  );
  if (wrong.length === 0) {
    return (
      <Group gap="sm" role="status">
        <span className="parley-dot" />
        <Text size="sm" c="dimmed">
          All systems operational
        </Text>
        {more}
      </Group>
    );
  }
  return (
    <Alert
      color="yellow"
      role="status"
      icon={<IconAlertTriangle size={18} />}
      title={wrong.length === 1 ? "Something is wrong with the service" : "Some things are wrong with the service"}
    >
      <List size="sm" spacing={2}>
        {wrong.map(({ name, problem }) => (
          <List.Item key={name}>{problem}</List.Item>
        ))}
      </List>
      {more || (
        <Text size="sm" mt="xs">
          Ask whoever runs Parley for you.
        </Text>
      )}
    </Alert>
  );
}
