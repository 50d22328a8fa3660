import { Badge, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { messageOf } from "#api/error.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { Time } from "#parts/show/time.tsx";
import { browserOf } from "./browser-name.ts";

/** Where a user is signed in; each session, or all, can be ended. */
export function UserSessions({ userId, name }: { userId: string; name: string }) {
  const params = { user_id: userId };
  const answer = useAnswer("GET /v1/users/:user_id/sessions", { params });
  const end = useSend("DELETE /v1/users/:user_id/sessions", ["GET /v1/users/:user_id/sessions", "GET /v1/sessions"], {
    isShown: true,
  });
  const sessions = answer.data?.sessions ?? [];
  const others = sessions.filter(({ is_current }) => !is_current);
  return (
    <section aria-label="Sessions">
      <Group justify="space-between" mb="xs">
        <Title order={3}>Sessions</Title>
        {others.length > 1 && (
          <ConfirmButton
            size="compact-sm"
            title={`Sign ${name} out everywhere?`}
            text={`${name} has to sign in again in every browser. The session that you are using now stays open.`}
            confirm="Sign out everywhere"
            onConfirm={() => end.mutateAsync({ params })}
          >
            Sign out everywhere
          </ConfirmButton>
        )}
      </Group>
      {answer.error ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : answer.isPending ? (
        <Skeleton h={60} />
      ) : sessions.length === 0 ? (
        <Text size="sm" c="dimmed">
          Not signed in now.
        </Text>
      ) : (
        <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: "none" }}>
          {sessions.map((session) => (
            <Group component="li" key={session.session_id} justify="space-between" wrap="nowrap">
              <div>
                <Text size="sm">{browserOf(session.user_agent)}</Text>
                <Text size="xs" c="dimmed">
                  {session.address}, last used <Time at={session.last_seen_at} isReal />
                </Text>
              </div>
              {session.is_current ? (
                <Badge className="parley-tone" data-tone="good">
                  This one
                </Badge>
              ) : (
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={end.isPending}
                  onClick={() => end.mutate({ params, query: { session_id: session.session_id } })}
                >
                  Sign out
                </Button>
              )}
            </Group>
          ))}
        </Stack>
      )}
      {end.error && (
        <Text size="sm" c="red" role="alert">
          {messageOf(end.error)}
        </Text>
      )}
    </section>
  );
}
