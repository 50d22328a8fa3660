import { Anchor, Code, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { CopyButton } from "#parts/form/copy-button.tsx";
import { DevelopersHead } from "./head.tsx";

const PLACES = [
  { href: "/docs", title: "API reference", text: "Every operation with its fields, and a form to try it" },
  { href: "/openapi.json", title: "OpenAPI document", text: "The same for programs: make a client in any language" },
] as const;

/** Where the API is described, and the first request. */
export function Component() {
  const first = `curl '${location.origin}/v1/me' \\\n  -H "X-API-Key: $PARLEY_API_KEY"`;
  return (
    <>
      <DevelopersHead title="Reference" about="All that this console does, your programs can do" />
      <Stack gap="xl">
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          {PLACES.map(({ href, title, text }) => (
            <Paper key={href} p="lg">
              <Anchor href={href} target="_blank" rel="noreferrer" fw={600}>
                {title}
              </Anchor>
              <Text size="sm" c="dimmed" mt={4}>
                {text}
              </Text>
            </Paper>
          ))}
        </SimpleGrid>
        <Text size="xs" c="dimmed">
          Both are open to everybody, unless whoever runs the service has turned them off.
        </Text>
        <section aria-label="The first request">
          <Title order={2} mb="sm">
            The first request
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            Put an API key into PARLEY_API_KEY. The answer says what the key may do.
          </Text>
          <Code block mb="sm" style={{ whiteSpace: "pre-wrap", wordBreak: "break-word" }}>
            {first}
          </Code>
          <CopyButton label="Copy" text={first} />
        </section>
      </Stack>
    </>
  );
}
