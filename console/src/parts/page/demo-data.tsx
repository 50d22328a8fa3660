import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { messageOf } from "#api/error.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { refreshSession, useCan, useSession } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { ErrorState } from "./error-state.tsx";
import { LookAtDemo } from "./look-at-demo.tsx";

/** Steps take some seconds each, and no event reports them. */
const LOOK_EVERY_MS = 1_000;

/** Demo data on simulated phones: loaded with one button while one looks on, and removed with another. */
export function DemoData() {
  const { mode } = useSession();
  const [maySend, mayWrite] = [useCan("send", { tenantWide: true }), useCan("write", { tenantWide: true })];
  const client = useQueryClient();
  const load = useSend("POST /v1/demo", ["GET /v1/demo"], { isShown: true });
  const remove = useSend("DELETE /v1/demo", ["GET /v1/demo"], { isShown: true });
  const answer = useAnswer("GET /v1/demo", mode === "test" ? {} : undefined, { refetchIntervalMs: LOOK_EVERY_MS });
  const demo = answer.data?.demo;

  // Its organizations are the session's too, and all that is shown may have changed.
  const before = useRef(demo?.status);
  useEffect(() => {
    const was = before.current;
    before.current = demo?.status;
    if (was === "loading" || was === "removing") {
      if (demo?.status !== was) {
        void refreshSession(client);
        void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "GET /v1/demo" });
      }
    }
  }, [client, demo?.status]);

  if (mode === "live") {
    return <Text c="dimmed">Demo data is for simulated phones: turn to the simulator at the top of the page.</Text>;
  }
  if (answer.error && demo === undefined)
    return <ErrorState error={answer.error} retry={() => void answer.refetch()} />;
  if (demo === undefined) return null;
  const failure = load.error ?? remove.error;
  return (
    <Stack gap="sm" align="stretch">
      {demo.status === "loading" || demo.status === "removing" ? (
        <div role="status">
          <Text size="sm" mb={6}>
            {demo.status === "loading" ? "Loading" : "Removing"}: {demo.step ?? "just a moment"}
          </Text>
          <Progress
            value={demo.total === 0 ? 0 : (100 * demo.done) / demo.total}
            aria-label="Progress of the demo data"
            animated
          />
        </div>
      ) : demo.status === "loaded" ? (
        <Text size="sm" role="status">
          The demo data is loaded: two organizations, whose campaigns text and call simulated phones. Which organization
          is shown is chosen at the top of the navigation.
        </Text>
      ) : (
        <Text size="sm" c="dimmed">
          Two organizations with agents, contacts and campaigns that text and call simulated phones. It is kept apart
          from yours, and removed with one button.
        </Text>
      )}
      {(demo.problem !== null || failure) && (
        <Alert color="red" role="alert">
          {failure ? messageOf(failure) : demo.problem}
        </Alert>
      )}
      <Group gap="sm">
        {(demo.status === "absent" || demo.status === "failed") && (
          <Button
            variant="default"
            disabled={!maySend}
            title={maySend ? undefined : "This takes the permission to send"}
            loading={load.isPending}
            onClick={() => load.mutate({ body: {} })}
          >
            {demo.status === "failed" ? "Continue loading" : "Load demo data"}
          </Button>
        )}
        <LookAtDemo demo={demo} />
        {(demo.status === "loaded" || demo.status === "failed") && (
          <ConfirmButton
            disabled={!mayWrite}
            title="Remove the demo data?"
            text="Its organizations go, with their agents, contacts, campaigns, conversations and recordings."
            confirm="Remove"
            onConfirm={() => remove.mutateAsync({})}
          >
            Remove demo data
          </ConfirmButton>
        )}
      </Group>
    </Stack>
  );
}
