import { Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

/** The pages before one is signed in: a card in the middle of nothing. */
export function EntryCard({ title, about, children }: { title: string; about?: ReactNode; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Parley`;
  }, [title]);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper p="xl" w="100%" maw={400}>
        <Stack gap="lg">
          <Group gap="sm">
            <img src={`${import.meta.env.BASE_URL}mark.svg`} alt="" width={28} height={28} />
            <Text fw={700} size="lg">
              Parley
            </Text>
          </Group>
          <div>
            <Title order={1}>{title}</Title>
            {about && (
              <Text c="dimmed" mt={4}>
                {about}
              </Text>
            )}
          </div>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
