import { Checkbox, Modal, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "#api/client.ts";
import { useSession } from "#api/session.ts";
import { OrganizationsSelect } from "#parts/form/organizations-select.tsx";
import { ServerForm } from "#parts/form/server-form.tsx";

export type MadeKey = { api_key: string; name: string };

const SCOPES = [
  { value: "read", label: "Read", description: "See everything" },
  { value: "write", label: "Write", description: "Change agents, contacts and lists" },
  { value: "send", label: "Send", description: "Text and call people" },
  { value: "admin", label: "Admin", description: "API keys, users and the system" },
] as const;
type Scope = (typeof SCOPES)[number]["value"];

/** Makes a key of no more power than whoever makes it. */
export function NewKey({ isOpen, close, done }: { isOpen: boolean; close: () => void; done: (made: MadeKey) => void }) {
  const { scopes, mode } = useSession();
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      name: "",
      mode: "test" as "test" | "live",
      scopes: ["read", "write", "send"] as Scope[],
      organization_ids: [] as string[],
    },
  });
  const isAdminKey = form.values.scopes.includes("admin");
  return (
    <Modal opened={isOpen} onClose={close} title="New API key" closeButtonProps={{ "aria-label": "Close" }}>
      <ServerForm
        form={form}
        submit="Make the key"
        cancel={close}
        send={async ({ organization_ids: limit, ...rest }) => {
          const body = { ...rest, organization_ids: limit.length > 0 ? limit : null };
          done(await call("POST /v1/api-keys", { body }));
          await client.invalidateQueries({ queryKey: ["GET /v1/api-keys"] });
          form.reset();
          close();
        }}
      >
        <TextInput
          label="Name"
          description="Where it will be used: “nightly import”"
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <div>
          <Text size="sm" fw={550} id="reaches" mb={4}>
            Reaches
          </Text>
          <SegmentedControl
            fullWidth
            aria-labelledby="reaches"
            data={[
              { value: "test", label: "The simulator" },
              { value: "live", label: "Real phones", disabled: mode !== "live" },
            ]}
            {...form.getInputProps("mode")}
          />
          {mode !== "live" && (
            <Text size="xs" c="dimmed" mt={4}>
              Turn this console to live at the top of the page to make a key for real phones.
            </Text>
          )}
        </div>
        <Checkbox.Group label="What it may do" {...form.getInputProps("scopes")}>
          <Stack gap="sm" mt="xs">
            {SCOPES.map(({ value, label, description }) => (
              <Checkbox
                key={value}
                value={value}
                label={label}
                description={description}
                disabled={!scopes.includes(value)}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <OrganizationsSelect
          label="Limited to organizations"
          description={
            isAdminKey
              ? "Not with Admin, which is for the whole tenant"
              : "None: it sees and changes those of all organizations"
          }
          disabled={isAdminKey}
          {...form.getInputProps("organization_ids")}
        />
      </ServerForm>
    </Modal>
  );
}
