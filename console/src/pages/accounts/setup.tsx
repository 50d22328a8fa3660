import { PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "react-router";
import { call } from "#api/client.ts";
import { useAnswer } from "#api/query.ts";
import { keepSession } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { PASSWORD_RULE } from "#parts/form/password-rule.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { tokenOf } from "#parts/form/token.ts";
import { EntryCard } from "#parts/page/entry-card.tsx";
import { TryOut } from "./try-out.tsx";

/** The first user, by the link that is printed at the first start. */
export function Component() {
  const client = useQueryClient();
  const [isDone, setDone] = useState(false);
  const token = tokenOf(useLocation().hash);
  const setup = useAnswer("GET /v1/setup", {});
  const form = useForm({ initialValues: { organization_name: "", first_name: "", email: "", password: "" } });

  if (isDone) return <TryOut />;
  if (setup.data?.needed === false) {
    return (
      <EntryCard title="Already set up" about="This link has been used. Sign in, or ask an admin to invite you.">
        <LinkButton to="/sign-in">Sign in</LinkButton>
      </EntryCard>
    );
  }
  if (token === undefined) {
    return (
      <EntryCard
        title="The link is not whole"
        about="Copy the whole setup link from the output of the service, with what follows the # sign."
      />
    );
  }
  return (
    <EntryCard
      title="Set up Parley"
      about="You become the first admin. Everything starts in the simulator: no real phone is reached."
    >
      <ServerForm
        form={form}
        submit="Set up"
        send={async ({ first_name, ...rest }) => {
          const body = { token, ...rest, ...(first_name === "" ? {} : { first_name }) };
          keepSession(client, (await call("POST /v1/setup", { body })).session);
          setDone(true);
        }}
      >
        <TextInput
          label="Organization"
          description="Whose campaigns these are: your company, or a client"
          autoComplete="organization"
          autoFocus
          required
          {...form.getInputProps("organization_name")}
        />
        <TextInput label="Your first name" autoComplete="given-name" {...form.getInputProps("first_name")} />
        <TextInput label="E-mail" type="email" autoComplete="username" required {...form.getInputProps("email")} />
        <PasswordInput
          label="Password"
          description={PASSWORD_RULE}
          autoComplete="new-password"
          required
          {...form.getInputProps("password")}
        />
      </ServerForm>
    </EntryCard>
  );
}
