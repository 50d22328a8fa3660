import {
  ActionIcon,
  Button,
  Collapse,
  Group,
  Paper,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Item } from "#api/operations.ts";
import { type Contact, contactLabel, MADE_UP_CONTACT, ownFields } from "#parts/form/template-fields.ts";
import { IconPlus, IconX } from "#parts/icons/tabler.ts";

export type Row = { name: string; value: string };
export type Setting = { contactId: string; rows: Row[]; objective: string; canCall: boolean };

export const EMPTY_SETTING: Omit<Setting, "rows"> = { contactId: "", objective: "", canCall: false };

export const rowsOf = (fields: Record<string, unknown>): Row[] =>
  Object.entries(fields).map(([name, value]) => ({ name, value: String(value) }));

export const fieldsOfRows = (rows: readonly Row[]): Record<string, string> =>
  Object.fromEntries(
    rows.filter(({ name, value }) => name.trim() !== "" && value !== "").map((row) => [row.name, row.value]),
  );

/** Whom the agent talks to, and for what. */
export function SettingCard({
  agent,
  contacts,
  setting,
  change,
}: {
  agent: Item<"GET /v1/agents">;
  contacts: readonly Contact[];
  setting: Setting;
  change: (setting: Setting) => void;
}) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const { rows } = setting;
  const choose = (id: string | null) => {
    const contact = contacts.find(({ unique_id }) => unique_id === id);
    change({ ...setting, contactId: id ?? "", rows: rowsOf(contact ? ownFields(contact) : MADE_UP_CONTACT) });
  };
  const edit = (index: number, some: Partial<Row>) =>
    change({ ...setting, rows: rows.map((row, at) => (at === index ? { ...row, ...some } : row)) });
  return (
    <Paper p="lg" component="section" aria-label="Contact">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2}>Contact</Title>
          <Button size="compact-sm" variant="subtle" onClick={toggle} aria-expanded={isOpen}>
            {isOpen ? "Done" : "Change the fields"}
          </Button>
        </Group>
        <Select
          label="Talk as"
          searchable
          allowDeselect={false}
          data={[
            ...contacts.map((contact) => ({ value: contact.unique_id, label: contactLabel(contact) })),
            { value: "", label: "A made-up contact" },
          ]}
          value={setting.contactId || (contacts[0]?.unique_id ?? "")}
          onChange={choose}
        />
        <Collapse expanded={isOpen}>
          <Stack gap="xs">
            {rows.map(({ name, value }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a field has no name until it is given one, and is never moved.
              <Group key={index} gap="xs" wrap="nowrap">
                <TextInput
                  aria-label={`Name of field ${index + 1}`}
                  placeholder="field"
                  flex={1}
                  value={name}
                  onChange={(event) => edit(index, { name: event.currentTarget.value })}
                />
                <TextInput
                  aria-label={`Value of ${name || `field ${index + 1}`}`}
                  placeholder="value"
                  flex={2}
                  value={value}
                  onChange={(event) => edit(index, { value: event.currentTarget.value })}
                />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${name || `field ${index + 1}`}`}
                  onClick={() => change({ ...setting, rows: rows.filter((_, at) => at !== index) })}
                >
                  <IconX size={15} />
                </ActionIcon>
              </Group>
            ))}
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPlus size={13} />}
              onClick={() => change({ ...setting, rows: [...rows, { name: "", value: "" }] })}
              style={{ alignSelf: "flex-start" }}
            >
              Add a field
            </Button>
            <TextInput
              label="Objective"
              description="What a campaign would say that it is for"
              maxLength={2000}
              value={setting.objective}
              onChange={(event) => change({ ...setting, objective: event.currentTarget.value })}
            />
            {agent.agent_type === "sms" && (
              <Switch
                label="May arrange calls, as in a campaign with calls"
                checked={setting.canCall}
                onChange={(event) => change({ ...setting, canCall: event.currentTarget.checked })}
              />
            )}
          </Stack>
        </Collapse>
        {!isOpen && (
          <Text size="sm" c="dimmed" lineClamp={2}>
            {rows.map(({ name, value }) => `${name}: ${value}`).join(", ")}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
