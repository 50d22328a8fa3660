import { Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** A group of fields that belong together. */
export function Section({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  return (
    <Paper p="lg" component="section" aria-label={title}>
      <Stack gap="md">
        <div>
          <Title order={2}>{title}</Title>
          {about && (
            <Text size="sm" c="dimmed" maw={620}>
              {about}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Paper>
  );
}
