import { PasswordInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate } from "react-router";
import { call } from "#api/client.ts";
import { keepSession } from "#api/session.ts";
import { PASSWORD_RULE } from "#parts/form/password-rule.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { tokenOf } from "#parts/form/token.ts";
import { EntryCard } from "#parts/page/entry-card.tsx";

/** Whom an admin has invited chooses a password here. */
export function Component() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const token = tokenOf(useLocation().hash);
  const form = useForm({ initialValues: { password: "" } });

  if (token === undefined) {
    return (
      <EntryCard
        title="The link is not whole"
        about="Copy the whole link of your invitation, with what follows the # sign."
      />
    );
  }
  return (
    <EntryCard title="Welcome to Parley" about="Choose a password: you sign in with it from now on.">
      <ServerForm
        form={form}
        submit="Set password"
        send={async ({ password }) => {
          keepSession(client, (await call("POST /v1/invitations", { body: { token, password } })).session);
          await navigate("/", { replace: true });
        }}
      >
        <PasswordInput
          label="Password"
          description={PASSWORD_RULE}
          autoComplete="new-password"
          autoFocus
          required
          {...form.getInputProps("password")}
        />
      </ServerForm>
    </EntryCard>
  );
}
