import { Checkbox, Chip, Group, Input, SimpleGrid, TagsInput, TextInput } from "@mantine/core";
import { AmountField } from "./amount-field.tsx";
import type { Editing } from "./builder.tsx";
import { Section } from "./section.tsx";

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const OFFICE = { start: "09:00", end: "18:00", days: [1, 2, 3, 4, 5] };

/** How an agent behaves that texts. */
export function TextSettings({ draft, edit, errors }: Editing) {
  const hours = draft.working_hours;
  return (
    <Section title="How it answers">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <AmountField
          label="Waits before it answers"
          description="Since the contact's last text: people send a thought in pieces."
          suffix=" s"
          min={0}
          max={300}
          value={draft.reply_delay_seconds}
          onChange={(reply_delay_seconds) => edit({ reply_delay_seconds })}
          error={errors.reply_delay_seconds}
        />
        <AmountField
          label="Answers at most, each day"
          description="To one contact; a machine that answers would go on for ever."
          min={1}
          max={1000}
          allowDecimal={false}
          value={draft.max_replies_per_day}
          onChange={(max_replies_per_day) => edit({ max_replies_per_day })}
          error={errors.max_replies_per_day}
        />
      </SimpleGrid>
      <TagsInput
        label="Links that it may send"
        description="Hosts such as example.com, or whole addresses. An answer with another link is not sent."
        placeholder={draft.allowed_links.length === 0 ? "None" : ""}
        value={draft.allowed_links}
        onChange={(allowed_links) => edit({ allowed_links })}
        error={errors.allowed_links ?? Object.entries(errors).find(([name]) => name.startsWith("allowed_links."))?.[1]}
      />
      <Checkbox
        label="Answers during working hours only"
        description="In the contact's own zone. What comes at another time is answered when they begin."
        checked={hours !== null}
        onChange={(event) => edit({ working_hours: event.currentTarget.checked ? OFFICE : null })}
      />
      {hours && (
        <Group align="end" gap="md">
          <TextInput
            type="time"
            label="From"
            value={hours.start}
            onChange={(event) => edit({ working_hours: { ...hours, start: event.currentTarget.value } })}
            error={errors["working_hours.start"]}
          />
          <TextInput
            type="time"
            label="Until"
            value={hours.end}
            onChange={(event) => edit({ working_hours: { ...hours, end: event.currentTarget.value } })}
            error={errors["working_hours.end"]}
          />
          <Input.Wrapper label="On" error={errors["working_hours.days"]} labelElement="div">
            <Chip.Group
              multiple
              value={hours.days.map(String)}
              onChange={(days) => edit({ working_hours: { ...hours, days: days.map(Number).sort() } })}
            >
              <Group gap={4}>
                {DAYS.map((day, index) => (
                  <Chip key={day} value={String(index + 1)} size="xs">
                    {day}
                  </Chip>
                ))}
              </Group>
            </Chip.Group>
          </Input.Wrapper>
        </Group>
      )}
    </Section>
  );
}
