import {
  Checkbox,
  Modal,
  MultiSelect,
  SegmentedControl,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "#api/client.ts";
import { useSession } from "#api/session.ts";
import type { Area } from "#contract/accounts/key-scopes.ts";
import { OrganizationsSelect } from "#parts/form/organizations-select.tsx";
import { ServerForm } from "#parts/form/server-form.tsx";
import { realNow } from "#parts/show/time.tsx";
import { AREAS, LIFETIMES, scopesOf } from "./key-words.ts";

/** `oldWorksUntil` of one that replaces another, where that one goes on. */
export type MadeKey = { api_key: string; name: string; oldWorksUntil?: string | undefined };

const SCOPES = [
  { value: "read", label: "Read", description: "See everything" },
  { value: "write", label: "Write", description: "Change agents, contacts and lists" },
  { value: "send", label: "Send", description: "Text and call people" },
  { value: "admin", label: "Admin", description: "API keys, users and the system" },
] as const;
type Scope = (typeof SCOPES)[number]["value"];

const DAY_MS = 86_400_000;

/** Makes a key of no more power than whoever makes it. */
export function NewKey({ isOpen, close, done }: { isOpen: boolean; close: () => void; done: (made: MadeKey) => void }) {
  const { scopes, mode } = useSession();
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      name: "",
      mode: "test" as "test" | "live",
      scopes: ["read", "write", "send"] as Scope[],
      areas: [] as Area[],
      organization_ids: [] as string[],
      allowed_addresses: [] as string[],
      days: "",
    },
  });
  const isAdminKey = form.values.scopes.includes("admin");
  const isInAreas = form.values.areas.length > 0;
  return (
    <Modal opened={isOpen} onClose={close} title="New API key" closeButtonProps={{ "aria-label": "Close" }}>
      <ServerForm
        form={form}
        submit="Make the key"
        cancel={close}
        fieldOf={(name) => (name === "expires_at" ? "days" : name.split(".")[0]!)}
        send={async ({ name, mode, scopes, areas, organization_ids: limit, allowed_addresses: addresses, days }) => {
          const body = {
            ...{ name, mode, scopes: scopesOf(scopes, areas) },
            organization_ids: limit.length > 0 ? limit : null,
            allowed_addresses: addresses.length > 0 ? addresses : null,
            expires_at: days === "" ? null : new Date(realNow() + Number(days) * DAY_MS).toISOString(),
          };
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
                disabled={!scopes.includes(value) || (value === "admin" && isInAreas)}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <MultiSelect
          label="In these areas alone"
          description={isAdminKey ? "Not with Admin, which is for all" : "None: everywhere"}
          data={AREAS}
          disabled={isAdminKey}
          {...form.getInputProps("areas")}
        />
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
        <TagsInput
          label="May be used from"
          description="Addresses and networks, such as 203.0.113.9 or 203.0.113.0/24, each with Enter. None: from anywhere"
          acceptValueOnBlur
          splitChars={[",", " "]}
          {...form.getInputProps("allowed_addresses")}
        />
        <Select label="Ends" data={LIFETIMES} allowDeselect={false} {...form.getInputProps("days")} />
      </ServerForm>
    </Modal>
  );
}
