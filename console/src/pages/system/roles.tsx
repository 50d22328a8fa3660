import { Paper, Stack, Text, Title } from "@mantine/core";
import { PERMISSIONS } from "./permissions.ts";

/** What each role may do. */
export function Roles() {
  return (
    <Paper component="section" aria-label="Roles" p="lg" mt="lg">
      <Title order={2} mb="md">
        Roles
      </Title>
      <Stack component="dl" gap="sm" m={0}>
        {PERMISSIONS.map(({ value, label, about }) => (
          <div key={value}>
            <Text component="dt" size="sm" fw={600}>
              {label}
            </Text>
            <Text component="dd" size="sm" m={0}>
              {about[0]!.toUpperCase() + about.slice(1)}.
            </Text>
          </div>
        ))}
      </Stack>
    </Paper>
  );
}
