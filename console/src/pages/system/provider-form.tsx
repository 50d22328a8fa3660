import { Code, Modal, PasswordInput, Select, Switch, TagsInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useSend } from "#api/query.ts";
import { OrganizationsSelect } from "#parts/form/organizations-select.tsx";
import { ServerForm } from "#parts/form/server-form.tsx";
import { GroupRoles } from "./group-roles.tsx";
import { PERMISSIONS } from "./permissions.ts";
import type { IdentityProvider } from "./provider-card.tsx";
import { bodyOf, NOBODY, type ProviderValues, valuesOf } from "./provider-values.ts";

/** Makes a provider, or changes one: without a new secret it keeps the one that it has. */
export function ProviderForm({
  provider,
  redirectUri,
  close,
}: {
  provider: IdentityProvider | undefined;
  redirectUri: string;
  close: () => void;
}) {
  const make = useSend("POST /v1/identity-providers", ["GET /v1/identity-providers"], { isShown: true });
  const change = useSend("PUT /v1/identity-providers/:provider_id", ["GET /v1/identity-providers"], { isShown: true });
  const form = useForm<ProviderValues>({ initialValues: valuesOf(provider) });
  const { values } = form;
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={provider ? `Change ${provider.name}` : "Add an identity provider"}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <ServerForm
        form={form}
        submit={provider ? "Save" : "Add"}
        cancel={close}
        fieldOf={(name) => (name === "password_allowed" ? "password_refused" : name)}
        send={async (values) => {
          const body = bodyOf(values, provider);
          if (provider) await change.mutateAsync({ params: { provider_id: provider.provider_id }, body });
          else await make.mutateAsync({ body });
          close();
        }}
      >
        <Text size="sm" c="dimmed">
          Allow this address at the provider: <Code style={{ overflowWrap: "anywhere" }}>{redirectUri}</Code>
        </Text>
        <TextInput
          label="Name"
          description="What the button says: “Sign in with Acme”"
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <TextInput
          label="Issuer"
          description="As the provider writes it, an https address"
          inputMode="url"
          required
          {...form.getInputProps("issuer")}
        />
        <TextInput label="Client ID" autoComplete="off" required {...form.getInputProps("client_id")} />
        <PasswordInput
          label="Client secret"
          description={
            provider?.has_client_secret
              ? "Leave it empty to keep the one of before. Another issuer needs its own"
              : "None for a client that PKCE alone protects"
          }
          autoComplete="off"
          {...form.getInputProps("client_secret")}
        />
        <TagsInput
          label="E-mail domains"
          description="Whose addresses it signs in: acme.example"
          required
          acceptValueOnBlur
          {...form.getInputProps("email_domains")}
        />
        <Switch
          label="Whoever signs in first becomes a user"
          description="Otherwise an admin makes each user before"
          {...form.getInputProps("creates_users", { type: "checkbox" })}
        />
        <Select
          label="Role"
          description={values.groups_claim === "" ? "Of new people" : "Of whoever is in none of the groups below"}
          data={[
            ...PERMISSIONS.map(({ value, label }) => ({ value, label })),
            { value: NOBODY, label: "None: may not sign in" },
          ]}
          allowDeselect={false}
          {...form.getInputProps("permission")}
        />
        <OrganizationsSelect label="Organizations" {...form.getInputProps("organization_ids")} />
        <TextInput
          label="Claim with the groups"
          description="For example groups. Role and organizations follow them at each sign-in. Empty: an admin sets them here"
          {...form.getInputProps("groups_claim")}
        />
        {values.groups_claim !== "" && <GroupRoles form={form} />}
        <Switch
          label="The provider asks for a second factor"
          description="None is asked for here then, also where one is required"
          {...form.getInputProps("factor_trusted", { type: "checkbox" })}
        />
        <Switch
          label="Take its addresses as verified"
          description="For providers that do not say so, as Entra ID: only where nobody there can choose an address"
          {...form.getInputProps("emails_trusted", { type: "checkbox" })}
        />
        <Switch
          label="Refuse passwords"
          description="For everybody, once an admin has signed in by this provider"
          {...form.getInputProps("password_refused", { type: "checkbox" })}
        />
      </ServerForm>
    </Modal>
  );
}
