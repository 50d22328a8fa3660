import {
  ActionIcon,
  Button,
  Group,
  Paper,
  Select,
  SimpleGrid,
  Switch,
  TagsInput,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { IconPlus, IconTrash } from "#parts/icons/tabler.ts";
import type { Editing } from "./builder.tsx";
import type { FieldDraft } from "./draft.ts";
import { Section } from "./section.tsx";

const TYPES = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "boolean", label: "Yes or no" },
  { value: "enum", label: "One of a list" },
];
const MOST_FIELDS = 50;

/** What the agent is to find out. */
export function ExtractionFields({ draft, edit, errors }: Editing) {
  const fields = draft.extraction_fields;
  const change = (index: number, some: Partial<FieldDraft>) =>
    edit({ extraction_fields: fields.map((field, at) => (at === index ? { ...field, ...some } : field)) });
  const add = () => {
    const field = { name: "", description: "", type: "string", choices: [], required: false } as const;
    edit({ extraction_fields: [...fields, { ...field, choices: [] }] });
  };
  return (
    <Section
      title="What it finds out"
      about="The agent asks for these, and what contacts answer is written down with their own words as the proof."
    >
      {fields.map((field, index) => {
        const at = `extraction_fields.${index}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a field has no name until it is given one, and is never moved.
          <Paper key={index} p="md" component="fieldset" m={0} aria-label={`Field ${index + 1}`}>
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
              <TextInput
                label="Field"
                description="Letters, digits and _"
                placeholder="budget"
                value={field.name}
                onChange={(event) => change(index, { name: event.currentTarget.value })}
                error={errors[`${at}.name`] ?? errors[at]}
              />
              <Select
                label="Kind of answer"
                description="Answers of another kind are ignored"
                data={TYPES}
                allowDeselect={false}
                value={field.type}
                onChange={(type) => change(index, { type: (type ?? "string") as FieldDraft["type"] })}
                error={errors[`${at}.type`]}
              />
            </SimpleGrid>
            <TextInput
              label="Description"
              mt="sm"
              placeholder="What the contact wants to spend at most, in dollars"
              maxLength={500}
              value={field.description}
              onChange={(event) => change(index, { description: event.currentTarget.value })}
              error={errors[`${at}.description`]}
            />
            {field.type === "enum" && (
              <TagsInput
                label="Choices"
                mt="sm"
                description="Press Enter after each"
                value={field.choices}
                onChange={(choices) => change(index, { choices })}
                error={errors[`${at}.choices`]}
              />
            )}
            <Group justify="space-between" mt="sm">
              <Switch
                label="Required"
                checked={field.required}
                onChange={(event) => change(index, { required: event.currentTarget.checked })}
              />
              <Tooltip label="Remove this field">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove field ${index + 1}`}
                  onClick={() => edit({ extraction_fields: fields.filter((_, position) => position !== index) })}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Tooltip>
            </Group>
          </Paper>
        );
      })}
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPlus size={14} />}
        onClick={add}
        disabled={fields.length >= MOST_FIELDS}
        style={{ alignSelf: "flex-start" }}
      >
        Add a field
      </Button>
    </Section>
  );
}
