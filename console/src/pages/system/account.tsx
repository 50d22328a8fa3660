import { Badge, Button, Group, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "#api/client.ts";
import type { Item } from "#api/operations.ts";
import { usePages, useSend } from "#api/query.ts";
import { keepSession, useSession } from "#api/session.ts";
import { PASSWORD_RULE } from "#parts/form/password-rule.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { Time } from "#parts/show/time.tsx";
import { browserOf } from "./browser-name.ts";
import { Factors } from "./factors.tsx";
import { SystemHead } from "./head.tsx";

type OpenSession = Item<"GET /v1/sessions">;

/** One's own security: the password, second factors, and where one is signed in. */
export function Component() {
  const { user } = useSession();
  const sessions = usePages("GET /v1/sessions", "sessions", {});
  const endOthers = useSend("DELETE /v1/sessions", ["GET /v1/sessions"]);
  return (
    <>
      <SystemHead title="Your account" about={`${user.name}, ${user.email}`} />
      <Stack gap="xl">
        <ChangePassword />
        <Factors />
        <Stack component="section" aria-label="Sessions" gap="sm">
          <Group justify="space-between">
            <Title order={2}>Where you are signed in</Title>
            {sessions.rows.length > 1 && (
              <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate({})}>
                Sign out everywhere else
              </Button>
            )}
          </Group>
          <DataTable
            label="Sessions"
            list={sessions}
            columns={COLUMNS}
            rowKey={({ session_id }) => session_id}
            empty={<EmptyState title="No session" text="You are signed in nowhere." />}
          />
        </Stack>
      </Stack>
    </>
  );
}

function ChangePassword() {
  const { user } = useSession();
  const client = useQueryClient();
  const form = useForm({ initialValues: { current_password: "", new_password: "" } });
  const [ended, setEnded] = useState<number>();
  return (
    <Paper p="lg" component="section" aria-label="Password" maw={640}>
      <Title order={2} mb="md">
        Password
      </Title>
      <ServerForm
        form={form}
        submit="Change the password"
        send={async (body) => {
          setEnded(undefined);
          // Not as a mutation: a wrong password is a 401, and that would sign out.
          const { ended_sessions, session } = await call("POST /v1/session/password", { body });
          keepSession(client, session);
          setEnded(ended_sessions);
          await client.invalidateQueries({ queryKey: ["GET /v1/sessions"] });
          form.reset();
        }}
      >
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        <PasswordInput
          label="Your password now"
          autoComplete="current-password"
          required
          {...form.getInputProps("current_password")}
        />
        <PasswordInput
          label="The new one"
          description={PASSWORD_RULE}
          autoComplete="new-password"
          required
          {...form.getInputProps("new_password")}
        />
      </ServerForm>
      <Text size="sm" mt="md" role="status">
        {ended !== undefined &&
          `The password is changed${ended > 0 ? `, and ${ended} other ${ended === 1 ? "session has" : "sessions have"} ended` : ""}.`}
      </Text>
    </Paper>
  );
}

const COLUMNS: readonly Column<OpenSession>[] = [
  { key: "browser", title: "Browser", width: "2fr", render: ({ user_agent }) => browserOf(user_agent) },
  { key: "address", title: "Address", width: "9rem", isExtra: true, render: ({ address }) => address },
  {
    key: "since",
    title: "Signed in",
    width: "8rem",
    isExtra: true,
    render: ({ created_at }) => <Time at={created_at} isReal />,
  },
  { key: "seen", title: "Last used", width: "8rem", render: ({ last_seen_at }) => <Time at={last_seen_at} isReal /> },
  { key: "end", title: "", width: "8rem", align: "right", render: (session) => <End session={session} /> },
];

function End({ session: { session_id, is_current } }: { session: OpenSession }) {
  const end = useSend("DELETE /v1/sessions/:session_id", ["GET /v1/sessions"]);
  if (is_current) {
    return (
      <Badge className="parley-tone" data-tone="good">
        This one
      </Badge>
    );
  }
  return (
    <Group justify="flex-end">
      <Button
        size="compact-xs"
        variant="default"
        loading={end.isPending}
        onClick={() => end.mutate({ params: { session_id } })}
      >
        Sign out
      </Button>
    </Group>
  );
}
