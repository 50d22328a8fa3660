import { Stack, Text, Title } from "@mantine/core";
import { useAnswer } from "#api/query.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { DemoData } from "#parts/page/demo-data.tsx";
import { EntryCard } from "#parts/page/entry-card.tsx";
import { SystemTest } from "#parts/show/system-test.tsx";

/** After the first user is made: something to look at, and whether the parts work. All of it may be left for later. */
export function TryOut() {
  const demo = useAnswer("GET /v1/demo", {}).data?.demo;
  return (
    <EntryCard title="You're all set" about="Look around with demo data, or begin with your own. Both can wait.">
      <Stack gap="xl">
        <section aria-labelledby="demo">
          <Title order={2} id="demo" mb="xs">
            Demo data
          </Title>
          <DemoData />
        </section>
        <section aria-labelledby="tests">
          <Title order={2} id="tests" mb="xs">
            Test your setup
          </Title>
          <Text size="sm" c="dimmed" mb="md">
            The model writes one answer; the simulated carrier takes one text to itself.
          </Text>
          <Stack gap="md">
            <SystemTest of="model" />
            <SystemTest of="carrier" />
          </Stack>
        </section>
        {/* One's own organization is empty yet: where there is something to look at, that is offered first. */}
        <LinkButton to="/" variant={demo?.status === "loaded" ? "default" : "filled"}>
          Go to the console
        </LinkButton>
      </Stack>
    </EntryCard>
  );
}
