import { Button, Paper, Radio, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate, useSearchParams } from "react-router";
import { useSend } from "#api/query.ts";
import { useCan, useSession } from "#api/session.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { IconChevronDown, IconChevronUp } from "#parts/icons/tabler.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { OnlyLive } from "#parts/page/only-live.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { type AccountForm, KindFields } from "./kind-fields.tsx";
import { emptyOf, filled, KINDS, type Kind, type NewCarrier } from "./kinds.ts";

/** The first two steps of a set-up: which carrier, and the values of its account. What will change is shown before it does. */
export function Component() {
  const isAdmin = useCan("admin", { tenantWide: true });
  const [search, setSearch] = useSearchParams();
  const kind = (Object.keys(KINDS) as Kind[]).find((one) => one === search.get("kind"));
  return (
    <>
      <PageHeader
        title="Connect a carrier"
        back={{ to: "/carriers", label: "Carriers" }}
        about="Choose yours, paste its values, and see what will change at the carrier before it does."
      />
      <OnlyLive>
        {isAdmin ? (
          <Paper p={{ base: "md", xs: "xl" }} maw={720}>
            <Stack gap="xl">
              <Radio.Group
                label="Which carrier?"
                required
                value={kind ?? null}
                onChange={(next) => setSearch({ kind: next }, { replace: true })}
              >
                <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mt="sm">
                  {Object.entries(KINDS).map(([value, { label, about }]) => (
                    <Radio key={value} value={value} label={label} description={about} />
                  ))}
                </SimpleGrid>
              </Radio.Group>
              {kind && <Values key={kind} kind={kind} />}
            </Stack>
          </Paper>
        ) : (
          <EmptyState title="For admins" text="Carriers are connected by admins. Ask one of yours." />
        )}
      </OnlyLive>
    </>
  );
}

function Values({ kind }: { kind: Kind }) {
  const { label, where, credentials, settings, more } = KINDS[kind];
  const { organizations } = useSession();
  const navigate = useNavigate();
  const [isOpen, { toggle }] = useDisclosure(false);
  const all = [...settings, ...more];
  const form = useForm<AccountForm & { organization_id: string }>({
    initialValues: { name: label, organization_id: "", credentials: emptyOf(credentials), settings: emptyOf(all) },
    validate: {
      name: (name) => (name.trim() === "" ? "Enter a name" : null),
    },
  });
  const create = useSend("POST /v1/carriers", ["GET /v1/carriers"], { isShown: true });
  return (
    <ServerForm
      form={form}
      submit="See what will change"
      send={async (values) => {
        const body: NewCarrier = {
          name: values.name.trim(),
          kind,
          organization_id: values.organization_id === "" ? null : values.organization_id,
          credentials: filled(credentials, values.credentials) as Record<string, string>,
          settings: filled(all, values.settings),
        };
        const { carrier } = await create.mutateAsync({ body });
        await navigate(`/carriers/${encodeURIComponent(carrier.carrier_id)}/connect`);
      }}
    >
      <Text size="sm">{where}</Text>
      <KindFields form={form} at="credentials" fields={credentials} />
      <KindFields form={form} at="settings" fields={settings} />
      <TextInput label="Name" description="How it is called here" required {...form.getInputProps("name")} />
      {organizations.length > 1 && (
        <Select
          label="Organization"
          description="Whose texts and calls go out by it"
          allowDeselect={false}
          data={[
            { value: "", label: "All organizations" },
            ...organizations.map(({ unique_id, organization_name }) => ({
              value: unique_id,
              label: organization_name,
            })),
          ]}
          {...form.getInputProps("organization_id")}
        />
      )}
      {more.length > 0 && (
        <>
          <Button
            variant="default"
            onClick={toggle}
            aria-expanded={isOpen}
            style={{ alignSelf: "flex-start" }}
            rightSection={isOpen ? <IconChevronUp size={15} aria-hidden /> : <IconChevronDown size={15} aria-hidden />}
          >
            Advanced settings
          </Button>
          {isOpen && <KindFields form={form} at="settings" fields={more} />}
        </>
      )}
      <Text size="sm" c="dimmed">
        The credentials are kept encrypted, and are shown to nobody again. Nothing is changed at the carrier yet.
      </Text>
    </ServerForm>
  );
}
