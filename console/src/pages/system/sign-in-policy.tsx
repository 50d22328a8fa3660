import { Paper, Skeleton, Stack, Switch, Text, Title } from "@mantine/core";
import { messageOf } from "#api/error.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { OrganizationsSelect } from "#parts/form/organizations-select.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";

/** Who must have a second factor. */
export function SignInPolicy() {
  const answer = useAnswer("GET /v1/sign-in-policy", {});
  const set = useSend("PUT /v1/sign-in-policy", ["GET /v1/sign-in-policy", "GET /v1/factors"], { isShown: true });
  return (
    <Paper component="section" aria-label="Second factor" p="lg" mt="lg">
      <Title order={2} mb="xs">
        Second factor
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Whoever must have one and has none can do nothing but add one from then on, also where they are signed in now.
      </Text>
      {answer.error ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : answer.isPending ? (
        <Skeleton h={60} />
      ) : (
        <Stack maw={480}>
          <Switch
            label="Required of everybody"
            checked={answer.data.factor_required}
            disabled={set.isPending}
            onChange={({ currentTarget }) =>
              set.mutate({
                body: { factor_required: currentTarget.checked, organization_ids: answer.data.organization_ids },
              })
            }
          />
          {!answer.data.factor_required && (
            <OrganizationsSelect
              label="Or of whoever works for these organizations, and of every admin"
              value={answer.data.organization_ids}
              disabled={set.isPending}
              onChange={(organization_ids) => set.mutate({ body: { factor_required: false, organization_ids } })}
            />
          )}
        </Stack>
      )}
      {set.error && (
        <Text size="sm" c="red" role="alert" mt="md">
          {messageOf(set.error)}
        </Text>
      )}
    </Paper>
  );
}
