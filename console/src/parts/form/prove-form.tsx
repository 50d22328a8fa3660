import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { call } from "#api/client.ts";
import type { Session } from "#api/session.ts";
import { signByPasskey } from "./passkey.ts";
import { PasskeyButton } from "./passkey-button.tsx";
import { ServerForm } from "./server-form.tsx";

/** Shows one of the factors that the session's person has, or the password where there is none; `done` gets the session that it makes. */
export function ProveForm({ session, done }: { session: Session; done: (session: Session) => Promise<unknown> }) {
  const kinds = session.proof_kinds;
  const [isRecovering, setRecovering] = useState(!kinds.includes("code") && !kinds.includes("passkey"));
  const form = useForm({ initialValues: { code: "" } });
  const hasCode = kinds.includes("code");
  if (kinds.length === 0) return <SignInAgain />;
  if (kinds.includes("password")) return <ProveByPassword done={done} />;
  return (
    <Stack gap="md">
      {!isRecovering && kinds.includes("passkey") && (
        <PasskeyButton
          label="Use a passkey"
          run={async () => {
            const { options } = await call("POST /v1/session/proof-options");
            const passkey = await signByPasskey(options);
            await done((await call("POST /v1/session/proof", { body: { passkey } })).session);
          }}
        />
      )}
      {(hasCode || isRecovering) && (
        <ServerForm
          key={String(isRecovering)}
          form={form}
          submit="Continue"
          send={async ({ code }) => {
            const body = isRecovering ? { recovery_code: code } : { code };
            await done((await call("POST /v1/session/proof", { body })).session);
          }}
          fieldOf={() => "code"}
        >
          <TextInput
            label={isRecovering ? "Recovery code" : "Code of your app"}
            description={
              isRecovering ? "One of those that you kept. Each counts once." : "Six digits, new each half minute"
            }
            autoComplete="one-time-code"
            inputMode={isRecovering ? "text" : "numeric"}
            autoFocus
            required
            {...form.getInputProps("code")}
          />
        </ServerForm>
      )}
      {kinds.includes("recovery_code") && (
        <Button
          variant="subtle"
          onClick={() => {
            form.reset();
            setRecovering(!isRecovering);
          }}
        >
          {isRecovering ? "Use a factor instead" : "Use a recovery code"}
        </Button>
      )}
    </Stack>
  );
}

/** For who comes by an identity provider, and has neither a factor nor a password here. */
function SignInAgain() {
  const base = import.meta.env.BASE_URL;
  const next = `/${location.pathname.slice(base.length)}${location.search}`;
  return (
    <Stack gap="md">
      <Text size="sm">
        Sign in by your company's provider once more, and do it again: you come back to this page, without what was
        typed.
      </Text>
      <Button component="a" href={`${base}sign-in?next=${encodeURIComponent(next)}`}>
        Sign in again
      </Button>
    </Stack>
  );
}

function ProveByPassword({ done }: { done: (session: Session) => Promise<unknown> }) {
  const form = useForm({ initialValues: { password: "" } });
  return (
    <ServerForm
      form={form}
      submit="Continue"
      send={async (body) => done((await call("POST /v1/session/proof", { body })).session)}
    >
      <PasswordInput
        label="Your password"
        autoComplete="current-password"
        required
        {...form.getInputProps("password")}
      />
    </ServerForm>
  );
}
