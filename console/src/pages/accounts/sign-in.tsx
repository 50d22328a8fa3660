import { PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearchParams } from "react-router";
import { call } from "#api/client.ts";
import { useAnswer } from "#api/query.ts";
import { keepSession } from "#api/session.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { EntryCard } from "#parts/page/entry-card.tsx";

export function Component() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const setup = useAnswer("GET /v1/setup", {});
  const form = useForm({ initialValues: { email: "", password: "" } });
  const next = search.get("next") ?? "/";

  if (setup.data?.needed) {
    return (
      <EntryCard
        title="Not set up yet"
        about="Open the setup link that the service printed when it started: it makes the first user. Look in its output, near the top."
      />
    );
  }
  return (
    <EntryCard title="Sign in">
      <ServerForm
        form={form}
        submit="Sign in"
        send={async (body) => {
          keepSession(client, (await call("POST /v1/session", { body })).session);
          await navigate(next.startsWith("/") ? next : "/", { replace: true });
        }}
      >
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          autoFocus
          required
          {...form.getInputProps("email")}
        />
        <PasswordInput label="Password" autoComplete="current-password" required {...form.getInputProps("password")} />
      </ServerForm>
    </EntryCard>
  );
}
