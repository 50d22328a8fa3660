import { Alert, Button, Checkbox, Group, List, Paper, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { useEffect, useEffectEvent, useState } from "react";
import { useParams } from "react-router";
import { messageOf } from "#api/error.ts";
import type { Answer } from "#api/operations.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { OnlyLive } from "#parts/page/only-live.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { whole } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { abilities, KINDS } from "./kinds.ts";

type SetUp = Answer<"POST /v1/carriers/:carrier_id/connect">;

const STALE = ["GET /v1/carriers", "GET /v1/carriers/:carrier_id", "GET /v1/voice/phone-numbers"] as const;
const BACK = { to: "/carriers", label: "Carriers" };
/** A first look at an account with thousands. */
const SHOWN = 100;

/** The last steps of a set-up: what would change at the carrier and which numbers it has, and then that it is done. */
export function Component() {
  const isAdmin = useCan("admin", { tenantWide: true });
  return (
    <>
      <PageHeader title="Connect a carrier" back={BACK} about="What changes at the carrier, before it does." />
      <OnlyLive>
        {isAdmin ? (
          <Connect />
        ) : (
          <EmptyState title="For admins" text="Carriers are connected by admins. Ask one of yours." />
        )}
      </OnlyLive>
    </>
  );
}

function Connect() {
  const { carrier_id = "" } = useParams();
  const params = { carrier_id };
  const carrier = useAnswer("GET /v1/carriers/:carrier_id", { params });
  const look = useSend("POST /v1/carriers/:carrier_id/connect", [], { isShown: true });
  const connect = useSend("POST /v1/carriers/:carrier_id/connect", STALE, { isShown: true });
  const [replace, setReplace] = useState(false);
  const preview = () => look.mutate({ params, body: { dry_run: true } });
  const again = () => {
    connect.reset();
    preview();
  };
  const first = useEffectEvent(preview);
  useEffect(() => first(), []);

  if (carrier.error) return <ErrorState error={carrier.error} retry={() => void carrier.refetch()} />;
  if (carrier.data === undefined) return <Skeleton h={240} />;
  const { name, kind } = carrier.data.carrier;
  const done = connect.data;
  const shown = done ?? look.data;
  const hasForeign = look.data?.changes.some(({ foreign }) => foreign) ?? false;
  const error = connect.error ?? look.error;
  return (
    <Paper p={{ base: "md", xs: "xl" }} maw={880}>
      <Stack gap="xl">
        <Title order={2}>
          {name}
          {name === KINDS[kind].label ? "" : ` (${KINDS[kind].label})`}
        </Title>
        {error && (
          <Alert color="red" role="alert" title={connect.error ? "It is not connected" : "The carrier refused"}>
            <Text size="sm">{messageOf(error)}</Text>
            <Group gap="sm" mt="sm">
              <Button size="xs" variant="default" onClick={again} loading={look.isPending}>
                Try again
              </Button>
              <LinkButton size="xs" variant="default" to={`/carriers?carrier=${encodeURIComponent(carrier_id)}`}>
                Change the credentials
              </LinkButton>
            </Group>
          </Alert>
        )}
        {look.isPending && (
          <Text size="sm" role="status">
            Reading the account at the carrier: this may take some seconds.
          </Text>
        )}
        {done && (
          <Alert color="gray" role="status">
            <Text size="sm">
              <b>Connected.</b>{" "}
              {done.numbers.length === 1 ? "1 number is" : `${whole(done.numbers.length)} numbers are`} here now.
            </Text>
          </Alert>
        )}
        {shown && <Missing of={shown} />}
        {shown && <Changes of={shown} isDone={done !== undefined} isReplaced={replace} />}
        {shown && <Numbers of={shown} />}
        {look.data && !done && (
          <Stack gap="md" align="flex-start">
            {hasForeign && (
              <Checkbox
                label="Also replace what points to somebody else's address"
                description="Whatever gets these texts and calls now gets them no longer"
                checked={replace}
                onChange={(event) => setReplace(event.currentTarget.checked)}
              />
            )}
            <Button loading={connect.isPending} onClick={() => connect.mutate({ params, body: { replace } })}>
              Connect
            </Button>
          </Stack>
        )}
        {done && (
          <Group gap="sm">
            <LinkButton to="/sms-campaigns/new">Make a campaign</LinkButton>
            <LinkButton variant="default" to={`/carriers?carrier=${encodeURIComponent(carrier_id)}`}>
              Open the account
            </LinkButton>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

function Missing({ of: { missing } }: { of: SetUp }) {
  if (missing.length === 0) return null;
  return (
    <Alert color="yellow" component="section" aria-label="Missing">
      <Text size="sm" fw={600} mb={4}>
        Still to do, before all of it works
      </Text>
      <List size="sm">
        {missing.map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

function Changes({ of: { changes }, isDone, isReplaced }: { of: SetUp; isDone: boolean; isReplaced: boolean }) {
  const stays = (foreign: boolean) => foreign && !isReplaced;
  return (
    <section aria-label="Changes">
      <Title order={3} mb="xs">
        {isDone ? "Changed at the carrier" : "What will change at the carrier"}
      </Title>
      {changes.length === 0 ? (
        <Text size="sm" c="dimmed">
          {isDone ? "Nothing had to be changed." : "Nothing has to be changed."}
        </Text>
      ) : (
        <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: "none" }}>
          {changes.map(({ what, from, to, foreign }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several numbers may have the same change.
            <li key={index}>
              <Text size="sm" fw={600}>
                {what}
                {stays(foreign) && " (stays as it is)"}
              </Text>
              <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                {from === null ? "Not set" : `From ${from}`}
              </Text>
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                To {to}
              </Text>
            </li>
          ))}
        </Stack>
      )}
    </section>
  );
}

function Numbers({ of: { numbers } }: { of: SetUp }) {
  return (
    <section aria-label="Numbers">
      <Title order={3} mb="xs">
        Numbers of the account
      </Title>
      {numbers.length === 0 ? (
        <Text size="sm" c="dimmed">
          The account has no number yet. Get one at the carrier, and connect again.
        </Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Number</Table.Th>
              <Table.Th>Can do</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {numbers.slice(0, SHOWN).map(({ phone_number, capabilities }) => (
              <Table.Tr key={phone_number}>
                <Table.Td>
                  <PhoneNumber number={phone_number} />
                </Table.Td>
                <Table.Td>{abilities(capabilities)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {numbers.length > SHOWN && (
        <Text size="sm" c="dimmed" mt="xs">
          and {whole(numbers.length - SHOWN)} more
        </Text>
      )}
    </section>
  );
}
