import { ActionIcon, Button, Fieldset, Group, Select, Stack, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { OrganizationsSelect } from "#parts/form/organizations-select.tsx";
import { IconTrash } from "#parts/icons/tabler.ts";
import { PERMISSIONS } from "./permissions.ts";
import type { ProviderValues } from "./provider-values.ts";

/** Which role and organizations the members of a group have. */
export function GroupRoles({ form }: { form: UseFormReturnType<ProviderValues> }) {
  const add = () => form.insertListItem("group_roles", { group: "", permission: "viewer", organization_ids: [] });
  return (
    <Stack gap="md">
      {form.values.group_roles.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no name of its own until it is filled in.
        <Fieldset key={index} legend={`Group ${index + 1}`}>
          <Stack gap="sm">
            <TextInput
              label="Group"
              description="As the provider writes it, a name or an id"
              required
              {...form.getInputProps(`group_roles.${index}.group`)}
            />
            <Group gap="sm" align="flex-end" wrap="nowrap">
              <Select
                label="Role of its members"
                flex={1}
                data={PERMISSIONS.map(({ value, label }) => ({ value, label }))}
                allowDeselect={false}
                {...form.getInputProps(`group_roles.${index}.permission`)}
              />
              <ActionIcon
                variant="default"
                size="input-sm"
                aria-label={`Remove group ${index + 1}`}
                onClick={() => form.removeListItem("group_roles", index)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Group>
            <OrganizationsSelect
              label="Their organizations"
              description="None: those above"
              {...form.getInputProps(`group_roles.${index}.organization_ids`)}
            />
          </Stack>
        </Fieldset>
      ))}
      <Button variant="default" onClick={add} style={{ alignSelf: "flex-start" }}>
        Add a group
      </Button>
    </Stack>
  );
}
