import { Button, Code, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useAnswer } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { CopyButton } from "#parts/form/copy-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { SystemHead } from "./head.tsx";
import { type IdentityProvider, ProviderCard } from "./provider-card.tsx";
import { ProviderForm } from "./provider-form.tsx";

/** The identity providers that people sign in by. */
export function Component() {
  const isAdmin = useCan("admin", { tenantWide: true });
  const answer = useAnswer("GET /v1/identity-providers", isAdmin ? { query: {} } : undefined);
  const [edited, setEdited] = useState<IdentityProvider | "new">();
  const add = isAdmin && <Button onClick={() => setEdited("new")}>Add a provider</Button>;
  return (
    <>
      <SystemHead title="Single sign-on" about="Sign in by your company's identity provider" actions={add} />
      {!isAdmin ? (
        <EmptyState title="For admins" text="How people sign in is decided by admins. Ask one of yours." />
      ) : answer.error ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : answer.isPending ? (
        <Skeleton h={240} />
      ) : (
        <Stack gap="lg">
          {answer.data.providers.length === 0 && (
            <EmptyState
              title="No identity provider yet"
              text="Okta, Entra ID, Google, Keycloak, or any other that speaks OpenID Connect. People sign in there, and no password is kept here."
              action={add}
            />
          )}
          {answer.data.providers.map((provider) => (
            <ProviderCard key={provider.provider_id} provider={provider} edit={() => setEdited(provider)} />
          ))}
          <Paper component="section" aria-label="At the provider" p="lg">
            <Title order={2} mb="xs">
              At the provider
            </Title>
            <Text size="sm" c="dimmed" mb="md">
              Make a web application there, with the authorization code, and allow this address to come back to:
            </Text>
            <Group gap="xs" wrap="nowrap">
              <Code style={{ overflowWrap: "anywhere" }}>{answer.data.redirect_uri}</Code>
              <CopyButton text={answer.data.redirect_uri} name="the address" />
            </Group>
          </Paper>
        </Stack>
      )}
      {edited !== undefined && answer.data && (
        <ProviderForm
          provider={edited === "new" ? undefined : edited}
          redirectUri={answer.data.redirect_uri}
          close={() => setEdited(undefined)}
        />
      )}
    </>
  );
}
