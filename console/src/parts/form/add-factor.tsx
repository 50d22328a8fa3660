import { Button, Code, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { call } from "#api/client.ts";
import type { Session } from "#api/session.ts";
import { CopyButton } from "./copy-button.tsx";
import { makePasskey } from "./passkey.ts";
import { PasskeyButton } from "./passkey-button.tsx";
import { ServerForm } from "./server-form.tsx";

/** What a new factor brought: the session of another cookie, and recovery codes with the first. */
export type Added = { session: Session; codes: readonly string[] | null };

type App = { factor_id: string; secret: string; qr_svg: string };

/** Adds an app for codes, or a passkey. `added` gets what came of it. */
export function AddFactor({ added }: { added: (added: Added) => unknown }) {
  const [app, setApp] = useState<App>();
  const naming = useForm({ initialValues: { name: "Authenticator app" } });
  const confirming = useForm({ initialValues: { code: "" } });
  if (app) {
    return (
      <ServerForm
        form={confirming}
        submit="Add the app"
        cancel={() => setApp(undefined)}
        send={async ({ code }) => {
          const params = { factor_id: app.factor_id };
          const answer = await call("POST /v1/factors/:factor_id/confirmation", { params, body: { code } });
          setApp(undefined);
          await added({ session: answer.session, codes: answer.recovery_codes });
        }}
      >
        <Text size="sm">Scan this with your authenticator app, or type the key into it.</Text>
        <img
          src={`data:image/svg+xml;utf8,${encodeURIComponent(app.qr_svg)}`}
          alt="The key as a QR code"
          width={200}
          height={200}
          style={{ background: "white", alignSelf: "center" }}
        />
        <Code block aria-label="Key for the app" style={{ wordBreak: "break-all", whiteSpace: "pre-wrap" }}>
          {app.secret}
        </Code>
        <CopyButton text={app.secret} label="Copy the key" />
        <TextInput
          label="Code that the app shows"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          {...confirming.getInputProps("code")}
        />
      </ServerForm>
    );
  }
  return (
    <Stack gap="md">
      <PasskeyButton
        label="Add a passkey"
        run={async () => {
          const { options } = await call("POST /v1/factors/passkey-options");
          const passkey = await makePasskey(options);
          const body = { name: "Passkey", passkey };
          const answer = await call("POST /v1/factors/passkey", { body });
          await added({ session: answer.session, codes: answer.recovery_codes });
        }}
      />
      <ServerForm
        form={naming}
        submit="Add an app for codes"
        send={async (body) => setApp(await call("POST /v1/factors/app", { body }))}
      >
        <TextInput label="Name of the app or phone" required {...naming.getInputProps("name")} />
      </ServerForm>
    </Stack>
  );
}

/** Recovery codes, shown this once. */
export function RecoveryCodes({ codes, done }: { codes: readonly string[]; done: () => unknown }) {
  return (
    <Stack gap="md">
      <Text size="sm">
        Keep these where you find them without your phone. Each signs you in once in place of a factor. They are not
        shown again.
      </Text>
      <Code block aria-label="Recovery codes">
        {codes.join("\n")}
      </Code>
      <CopyButton text={codes.join("\n")} label="Copy the codes" />
      <Button onClick={done}>I have kept them</Button>
    </Stack>
  );
}
