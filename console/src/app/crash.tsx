import { Button, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useRouteError } from "react-router";
import { messageOf } from "#api/error.ts";

/** In place of a page that broke: says so, and lets one go on. The navigation around it stays. */
export function Crash() {
  const error = useRouteError();
  return (
    <Stack maw={560} mx="auto" py="15vh" px="lg" role="alert">
      <Title order={1}>This page broke</Title>
      <Text>Nothing was lost on the server. Load the page again; if it breaks again, send us the line below.</Text>
      <Code block>{messageOf(error)}</Code>
      <Group>
        <Button onClick={() => location.reload()}>Load again</Button>
        <Button variant="default" component="a" href="/console/">
          Go home
        </Button>
      </Group>
    </Stack>
  );
}
