import { Alert, Button, Group, Paper, Stack, Title } from "@mantine/core";
import { messageOf } from "#api/error.ts";
import type { Answer } from "#api/operations.ts";
import { useSend } from "#api/query.ts";
import { useSession } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { CopyButton } from "#parts/form/copy-button.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { permissionLabel } from "./permissions.ts";

export type IdentityProvider = Answer<"GET /v1/identity-providers">["providers"][number];

/** One provider: what it is for, whether it works, and what can be done with it. */
export function ProviderCard({ provider, edit }: { provider: IdentityProvider; edit: () => void }) {
  const { organizations } = useSession();
  const params = { provider_id: provider.provider_id };
  const check = useSend("POST /v1/identity-providers/:provider_id/check", [], { isShown: true });
  const remove = useSend("DELETE /v1/identity-providers/:provider_id", ["GET /v1/identity-providers"], {
    isShown: true,
  });
  const nameOf = (id: string) => organizations.find(({ unique_id }) => unique_id === id)?.organization_name ?? id;
  const place = (ids: readonly string[]) => (ids.length === 0 ? "" : ` in ${ids.map(nameOf).join(", ")}`);
  const others =
    provider.permission === null
      ? "Nobody"
      : `${permissionLabel(provider.permission)}${place(provider.organization_ids)}`;
  return (
    <Paper component="section" aria-label={provider.name} p="lg">
      <Title order={2} mb="md">
        {provider.name}
      </Title>
      <Stack gap="lg">
        <Fields
          items={[
            ["Issuer", provider.issuer],
            ["Client ID", provider.client_id],
            ["Client secret", provider.has_client_secret ? "Kept sealed" : "None: PKCE alone"],
            ["Addresses", provider.email_domains.map((domain) => `@${domain}`).join(", ")],
            [
              "New people",
              provider.creates_users ? "Become users at their first sign-in" : "Are made by an admin first",
            ],
            provider.groups_claim !== null && ["Groups are in", provider.groups_claim],
            ...provider.group_roles.map(
              ({ group, permission, organization_ids }) =>
                [`Group ${group}`, `${permissionLabel(permission)}${place(organization_ids)}`] as const,
            ),
            [provider.groups_claim === null ? "Role of new people" : "Everybody else", others],
            [
              "Second factor",
              provider.factor_trusted ? "The provider asks for it" : "Asked for here, unless it says so",
            ],
            ["Passwords", provider.password_allowed ? "Allowed too" : "Refused: this is the only way in"],
          ]}
        />
        {check.data && (
          <Alert color={check.data.problem === null ? "gray" : "red"} role="status">
            {check.data.problem ??
              "It answers as it should: metadata and keys can be read. Sign in by it to try the rest."}
          </Alert>
        )}
        {check.error && (
          <Alert color="red" role="alert">
            {messageOf(check.error)}
          </Alert>
        )}
        <Group gap="sm">
          <Button variant="default" loading={check.isPending} onClick={() => check.mutate({ params })}>
            Test
          </Button>
          <Button variant="default" onClick={edit}>
            Change
          </Button>
          <CopyButton text={provider.sign_in_url} label="Copy the sign-in link" />
          <ConfirmButton
            title={`Remove ${provider.name}?`}
            text="Nobody signs in by it any more. Users and open sessions stay; whoever has no password needs a link from an admin."
            confirm="Remove"
            onConfirm={() => remove.mutateAsync({ params, query: {} })}
          >
            Remove
          </ConfirmButton>
        </Group>
      </Stack>
    </Paper>
  );
}
