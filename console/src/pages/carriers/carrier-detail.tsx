import { Alert, Button, Group, Modal, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { messageOf } from "#api/error.ts";
import type { GetKey } from "#api/operations.ts";
import { useSend } from "#api/query.ts";
import { useCan, useSession } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { CopyButton } from "#parts/form/copy-button.tsx";
import { LinkButton } from "#parts/form/link-button.tsx";
import { ServerForm } from "#parts/form/server-form.tsx";
import { IconAlertTriangle, IconCheck } from "#parts/icons/tabler.ts";
import { Fields } from "#parts/show/fields.tsx";
import { whole } from "#parts/show/figures.tsx";
import { Time } from "#parts/show/time.tsx";
import { StatusOf } from "./carriers.tsx";
import { KindFields } from "./kind-fields.tsx";
import { type Carrier, emptyOf, filled, KINDS, type Values } from "./kinds.ts";

const STALE: readonly GetKey[] = ["GET /v1/carriers", "GET /v1/carriers/:carrier_id"];

/** One account: how it is, the check of it, and what can be done with it. */
export function CarrierDetail({ carrier, close }: { carrier: Carrier; close: () => void }) {
  const isAdmin = useCan("admin", { tenantWide: true });
  const { organizations } = useSession();
  const { carrier_id, name, kind, problem, numbers_count, webhook_url, organization_id, shared } = carrier;
  const params = { carrier_id };
  const [isRotating, rotating] = useDisclosure(false);
  const remove = useSend("DELETE /v1/carriers/:carrier_id", [...STALE, "GET /v1/voice/phone-numbers"], {
    isShown: true,
  });
  const isConnected = carrier.status !== "new";
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <StatusOf of={carrier} />
        <CopyAsCurl operation="GET /v1/carriers/:carrier_id" args={{ params }} />
      </Group>
      {problem !== null && (
        <Alert color="red" title="What is wrong">
          <Text size="sm">{problem}</Text>
        </Alert>
      )}
      <Fields
        items={[
          ["Carrier", KINDS[kind].label],
          ["Numbers", whole(numbers_count)],
          [
            "Organization",
            organization_id === null
              ? "All organizations"
              : (organizations.find(({ unique_id }) => unique_id === organization_id)?.organization_name ??
                organization_id),
          ],
          ...(shared === null ? [] : sharedFields(shared)),
          [
            "Address for webhooks",
            shared !== null ? (
              "Of who runs this service"
            ) : webhook_url === null ? (
              "None: PARLEY_PUBLIC_URL is not set"
            ) : (
              <Group key="webhook" gap="xs" wrap="nowrap">
                <code style={{ wordBreak: "break-all" }}>{webhook_url}</code>
                <CopyButton text={webhook_url} name="the address" />
              </Group>
            ),
          ],
          ["Made", <Time key="made" at={carrier.created_at} isReal exact />],
        ]}
      />
      {isAdmin && shared === null && (
        <>
          <Check carrier={carrier} />
          <Group gap="sm">
            <LinkButton
              variant={isConnected ? "default" : "filled"}
              to={`/carriers/${encodeURIComponent(carrier_id)}/connect`}
            >
              {isConnected ? "Connect again" : "Connect"}
            </LinkButton>
            <Button variant="default" onClick={rotating.open}>
              Change the credentials
            </Button>
            <ConfirmButton
              title={`Remove ${name}?`}
              text="Its numbers can no longer be used here. They stay yours at the carrier, and so does what is set there."
              confirm="Remove"
              onConfirm={async () => {
                await remove.mutateAsync({ params });
                close();
              }}
            >
              Remove
            </ConfirmButton>
          </Group>
          <Modal
            opened={isRotating}
            onClose={rotating.close}
            title={`Change the credentials of ${name}`}
            closeButtonProps={{ "aria-label": "Close" }}
          >
            <Rotate carrier={carrier} close={rotating.close} />
          </Modal>
        </>
      )}
    </Stack>
  );
}

/** What an account that is not the tenant's own allows. */
const sharedFields = ({
  texts_per_second,
  texts_per_day,
  calls_at_once,
}: NonNullable<Carrier["shared"]>): [string, string][] => [
  ["Shared by", "Who runs this service: ask them to change it"],
  ["Texts a second", texts_per_second === null ? "No limit of its own" : String(texts_per_second)],
  ["Texts a day", texts_per_day === null ? "No limit of its own" : whole(texts_per_day)],
  ["Calls at once", calls_at_once === null ? "No calls" : whole(calls_at_once)],
];

/** The doctor: each thing that has to be right, whether it is, and what to do if it is not. */
function Check({ carrier: { carrier_id, kind, last_checked_at } }: { carrier: Carrier }) {
  const check = useSend("POST /v1/carriers/:carrier_id/check", STALE, { isShown: true });
  const form = useForm({ initialValues: { to: "" } });
  const run = form.onSubmit(({ to }) =>
    check.mutate({ params: { carrier_id }, body: to.trim() === "" ? {} : { to_number: to.trim() } }),
  );
  return (
    <section aria-label="Check">
      <form onSubmit={run}>
        <Group justify="space-between" align="flex-end" gap="sm">
          <div>
            <Title order={3}>Check</Title>
            <Text size="xs" c="dimmed">
              {last_checked_at === null ? "Never checked" : "Last checked "}
              {last_checked_at !== null && <Time at={last_checked_at} isReal />}
            </Text>
          </div>
          {kind === "sip" && (
            <TextInput label="Place a test call to" placeholder="None" {...form.getInputProps("to")} />
          )}
          <Button type="submit" variant="default" loading={check.isPending}>
            Check now
          </Button>
        </Group>
      </form>
      {check.error && (
        <Text size="sm" c="red" role="alert" mt="sm">
          {messageOf(check.error)}
        </Text>
      )}
      {check.data && (
        <Stack component="ul" gap="sm" mt="sm" p={0} style={{ listStyle: "none" }} aria-label="Checks">
          {check.data.checks.map(({ name, ok, problem, remedy }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two checks may have one name, and none moves.
            <Group component="li" key={index} gap="sm" wrap="nowrap" align="flex-start">
              {ok ? (
                <IconCheck size={18} color="var(--mantine-color-green-7)" role="img" aria-label="Fine" />
              ) : (
                <IconAlertTriangle size={18} color="var(--mantine-color-red-7)" role="img" aria-label="Not right" />
              )}
              <div>
                <Text size="sm" fw={600}>
                  {nameOf(name)}
                </Text>
                {problem && (
                  <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
                    {problem}
                  </Text>
                )}
                {remedy && <Text size="sm">What to do: {remedy}</Text>}
              </div>
            </Group>
          ))}
        </Stack>
      )}
    </section>
  );
}

/** "public_address" as "Public address" */
const nameOf = (name: string): string => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function Rotate({ carrier: { carrier_id, kind }, close }: { carrier: Carrier; close: () => void }) {
  const { credentials, where } = KINDS[kind];
  const form = useForm<{ credentials: Values }>({ initialValues: { credentials: emptyOf(credentials) } });
  const rotate = useSend("POST /v1/carriers/:carrier_id/rotate", STALE, { isShown: true });
  return (
    <ServerForm
      form={form}
      submit="Change"
      cancel={close}
      send={async (values) => {
        const body = { credentials: filled(credentials, values.credentials) as Record<string, string> };
        await rotate.mutateAsync({ params: { carrier_id }, body });
        close();
      }}
    >
      <Text size="sm">{where} They are tried out first: until the carrier takes them, the old ones are used.</Text>
      <KindFields form={form} at="credentials" fields={credentials} />
    </ServerForm>
  );
}
