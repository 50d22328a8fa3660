import { ActionIcon, Button, Group, Stack, Text, Timeline, Tooltip } from "@mantine/core";
import { IconPlus, IconTrash } from "#parts/icons/tabler.ts";
import { AmountField } from "./amount-field.tsx";
import type { Editing } from "./builder.tsx";
import type { Draft } from "./draft.ts";
import { Section } from "./section.tsx";
import { TemplateField } from "./template-field.tsx";

const MOST_DRIPS = 50;

/** What follows by itself for who does not answer, on a line of days. */
export function Drips({ draft, edit, errors, variables }: Editing) {
  const drips = draft.drip_schedule;
  const change = (index: number, some: Partial<Draft["drip_schedule"][number]>) =>
    edit({ drip_schedule: drips.map((drip, at) => (at === index ? { ...drip, ...some } : drip)) });
  const add = () => {
    const last = Math.max(0, ...drips.map(({ day }) => Number(day)));
    edit({ drip_schedule: [...drips, { day: last + 2, message: "" }] });
  };
  return (
    <Section
      title="Follow-ups"
      about="Sent automatically, that many days after the first text in the contact's own calendar. They end as soon as somebody answers."
    >
      {drips.length > 0 && (
        <Timeline bulletSize={14} lineWidth={2} active={-1}>
          <Timeline.Item title="Day 0: the first text">
            <Text size="sm" c="dimmed" lineClamp={2}>
              {draft.starting_message || "No first text yet"}
            </Text>
          </Timeline.Item>
          {drips.map(({ day, message }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a follow-up has nothing that names it, and is never moved.
            <Timeline.Item key={index}>
              <Stack gap="xs">
                <Group gap="sm" align="end">
                  <AmountField
                    label={`Follow-up ${index + 1}, sent after`}
                    suffix=" days"
                    w={230}
                    min={0}
                    max={3650}
                    allowDecimal={false}
                    value={day}
                    onChange={(value) => change(index, { day: value })}
                    error={errors[`drip_schedule.${index}.day`]}
                  />
                  <Tooltip label="Remove this follow-up">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size="lg"
                      aria-label={`Remove follow-up ${index + 1}`}
                      onClick={() => edit({ drip_schedule: drips.filter((_, at) => at !== index) })}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  </Tooltip>
                </Group>
                <TemplateField
                  aria-label={`Text of follow-up ${index + 1}`}
                  value={message}
                  onChange={(text) => change(index, { message: text })}
                  variables={variables}
                  error={errors[`drip_schedule.${index}.message`]}
                />
              </Stack>
            </Timeline.Item>
          ))}
        </Timeline>
      )}
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPlus size={14} />}
        onClick={add}
        disabled={drips.length >= MOST_DRIPS}
        style={{ alignSelf: "flex-start" }}
      >
        Add a follow-up
      </Button>
    </Section>
  );
}
