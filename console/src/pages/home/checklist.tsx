import { Anchor, Group, Paper, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { Link } from "react-router";
import type { Answer } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { useCan, useSession } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { IconCheck } from "#parts/icons/tabler.ts";
import { LookAtDemo } from "#parts/page/look-at-demo.tsx";

type Done = Answer<"GET /v1/overview">["overview"]["checklist"];

const STEPS = [
  { name: "agent", title: "Make an agent", text: "Who it is, what it says and what it finds out", to: "/agents" },
  { name: "contacts", title: "Bring your contacts", text: "Paste them, or import a CSV file", to: "/lists" },
  {
    name: "campaign",
    title: "Start a campaign",
    text: "It is checked before anything is sent",
    to: "/sms-campaigns/new",
  },
  { name: "reply", title: "Read the first reply", text: "In the simulator you are the contact, too", to: "/simulator" },
] as const;

/** The way to a first conversation; gone once it is behind. */
export function Checklist({ done }: { done: Done | undefined }) {
  const { mode } = useSession();
  const maySend = useCan("send");
  // Nothing of one's own is there to look at yet.
  const isNew = mode === "test" && done?.campaign === false;
  const demo = useAnswer("GET /v1/demo", isNew ? {} : undefined).data?.demo;
  if (done === undefined || STEPS.every(({ name }) => done[name])) return null;
  const next = STEPS.find(({ name }) => !done[name]);
  return (
    <Paper p="lg" component="section" aria-label="First steps">
      <Group justify="space-between" mb="md" gap="xs">
        <Title order={2}>First steps</Title>
        {isNew && (
          <Group gap="xs">
            <LookAtDemo demo={demo} size="xs" variant="default" />
            {maySend && (
              <LinkButton to="/sms-campaigns/first" size="xs">
                Guide me
              </LinkButton>
            )}
          </Group>
        )}
      </Group>
      <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
        {STEPS.map(({ name, title, text, to }, at) => (
          <Group key={name} component="li" gap="md" wrap="nowrap" align="flex-start">
            <ThemeIcon
              role="img"
              size={24}
              radius="xl"
              variant={done[name] ? "filled" : name === next?.name ? "outline" : "default"}
              color={done[name] || name === next?.name ? "pine" : "gray"}
              aria-label={done[name] ? "Done" : "Not done yet"}
            >
              {done[name] ? <IconCheck size={14} stroke={2.5} /> : <Text size="xs">{at + 1}</Text>}
            </ThemeIcon>
            <div>
              {done[name] ? (
                <Text c="dimmed">{title}</Text>
              ) : (
                <Anchor
                  component={Link}
                  to={name === "reply" && mode === "live" ? "/conversations" : to}
                  fw={600}
                  c="bright"
                >
                  {title}
                </Anchor>
              )}
              {!done[name] && (
                <Text size="sm" c="dimmed">
                  {name === "reply" && mode === "live" ? "Replies come into the conversations" : text}
                </Text>
              )}
            </div>
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}
