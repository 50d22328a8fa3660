import { Box, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { percent, whole } from "#parts/show/figures.tsx";

export type Stage = { name: string; count: number; meaning: string };

/** How many of all recipients came how far, each as a share of all, and below it further figures. */
export function FunnelCard({ stages, children }: { stages: readonly Stage[]; children?: ReactNode }) {
  const all = stages[0]?.count ?? 0;
  return (
    <Paper p="md" component="section" aria-label="Funnel">
      <Stack gap="sm">
        <Title order={2}>Funnel</Title>
        {stages.map(({ name, count, meaning }) => (
          <div key={name} title={meaning}>
            <Group justify="space-between" gap="xs">
              <Text size="sm">{name}</Text>
              <Text size="sm">
                <b>{whole(count)}</b>{" "}
                <Text span inherit c="dimmed">
                  {percent(count, all)}
                </Text>
              </Text>
            </Group>
            <Box h={6} mt={4} style={{ borderRadius: 3, background: "var(--parley-line)" }} aria-hidden>
              <Box
                h={6}
                bg="var(--mantine-primary-color-filled)"
                style={{ borderRadius: 3, width: all === 0 ? 0 : `${(count / all) * 100}%` }}
              />
            </Box>
          </div>
        ))}
        {children}
      </Stack>
    </Paper>
  );
}
