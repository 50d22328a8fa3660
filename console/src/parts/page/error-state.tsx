import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { ApiError, messageOf } from "#api/error.ts";
import { IconAlertCircle } from "#parts/icons/tabler.ts";

/** In place of what could not be loaded: the API's own sentence, and another try. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Alert color="red" icon={<IconAlertCircle size={18} />} role="alert" title="This could not be loaded">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{messageOf(error)}</Text>
        <Group gap="md">
          {retry && (
            <Button size="xs" variant="default" onClick={() => retry()}>
              Try again
            </Button>
          )}
          {requestId && <Text size="xs">Request {requestId}</Text>}
        </Group>
      </Stack>
    </Alert>
  );
}
