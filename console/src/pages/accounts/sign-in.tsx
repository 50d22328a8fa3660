import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { call } from "#api/client.ts";
import { useAnswer } from "#api/query.ts";
import { dropSession, keepSession, pendingSession, type Session } from "#api/session.ts";
import { AddFactor, RecoveryCodes } from "#parts/form/add-factor.tsx";
import { signByPasskey } from "#parts/form/passkey.ts";
import { PasskeyButton } from "#parts/form/passkey-button.tsx";
import { ProveForm } from "#parts/form/prove-form.tsx";
import { ServerForm } from "#parts/form/server-form.tsx";
import { EntryCard } from "#parts/page/entry-card.tsx";
import { pageOf } from "./next-page.ts";
import { SignOnButtons } from "./sign-on-buttons.tsx";

export function Component() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const setup = useAnswer("GET /v1/setup", {});
  const form = useForm({ initialValues: { email: "", password: "" } });
  const next = pageOf(search.get("next"));
  const [codes, setCodes] = useState<readonly string[]>();
  // Also after the page was loaded again, or by who comes from an invitation, between the steps.
  const [half, setHalf] = useState(() => pendingSession(client));

  /** Goes on with what the session lacks, or in. */
  const enter = async (session: Session) => {
    keepSession(client, session);
    setHalf(session.pending === null ? undefined : session);
    if (session.pending === null) await navigate(next, { replace: true });
  };
  const startOver = async () => {
    await call("DELETE /v1/session").catch(() => {});
    dropSession(client);
    setHalf(undefined);
  };

  if (codes) {
    return (
      <EntryCard title="Recovery codes">
        <RecoveryCodes codes={codes} done={() => navigate(next, { replace: true })} />
      </EntryCard>
    );
  }
  if (half) {
    const isShown = half.pending === "factor";
    return (
      <EntryCard
        title={isShown ? "Second step" : "Add a second factor"}
        about={isShown ? `${half.user.email}: show that it is you.` : "It is required here. You need it from now on."}
      >
        {isShown ? (
          <ProveForm session={half} done={enter} />
        ) : (
          <AddFactor
            added={({ session, codes: fresh }) => {
              keepSession(client, session);
              setCodes(fresh ?? []);
            }}
          />
        )}
        <Button variant="subtle" onClick={startOver}>
          Sign in as somebody else
        </Button>
      </EntryCard>
    );
  }

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
          await enter((await call("POST /v1/session", { body })).session);
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
      <PasskeyButton
        label="Sign in with a passkey"
        run={async () => {
          const { options } = await call("POST /v1/session/passkey-options");
          const passkey = await signByPasskey(options);
          await enter((await call("POST /v1/session/passkey", { body: { passkey } })).session);
        }}
      />
      <SignOnButtons email={form.values.email} providerId={search.get("provider") ?? undefined} next={next} />
    </EntryCard>
  );
}
