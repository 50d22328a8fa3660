import { Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** Where there is nothing yet: what would be here, and the one action that brings it. */
export function EmptyState({ title, text, action }: { title: string; text?: string; action?: ReactNode }) {
  return (
    <Paper p="xl" data-empty bg="transparent" style={{ borderStyle: "dashed" }}>
      <Stack align="center" ta="center" gap="sm" py="lg">
        <Title order={2}>{title}</Title>
        {text && (
          <Text c="dimmed" maw={420}>
            {text}
          </Text>
        )}
        {action}
      </Stack>
    </Paper>
  );
}
