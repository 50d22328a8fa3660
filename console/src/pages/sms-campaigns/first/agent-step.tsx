import { Radio, SimpleGrid, Stack, Textarea, TextInput } from "@mantine/core";
import { useOrganization } from "#api/session.ts";
import { TRADES } from "#parts/agents/trades.ts";
import { NumberField } from "#parts/campaigns/number.tsx";
import { type Draft, tradeFields } from "./draft.ts";

/** Which trade, and what its template has filled in. */
export function AgentStep({
  draft,
  edit,
  errors,
}: {
  draft: Draft;
  edit: (some: Partial<Draft>) => void;
  errors: Readonly<Record<string, string>>;
}) {
  const { organization_name } = useOrganization();
  return (
    <Stack gap="lg">
      <Radio.Group
        label="What do you do?"
        description="This fills in an agent, which can be changed at any time."
        required
        value={draft.trade}
        onChange={(trade) => edit(tradeFields(trade, organization_name))}
        error={errors.trade}
      >
        <SimpleGrid cols={{ base: 2, sm: 3, md: 5 }} spacing="sm" mt="sm">
          {Object.entries(TRADES).map(([value, { label }]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </SimpleGrid>
      </Radio.Group>
      {draft.trade !== null && (
        <Stack gap="md" maw={560}>
          <TextInput
            label="Name of the agent"
            required
            value={draft.name}
            onChange={(event) => edit({ name: event.currentTarget.value })}
            error={errors.agent_name}
          />
          <Textarea
            label="First text"
            description="{{first_name|there}} is the contact's first name, or “there”."
            required
            autosize
            minRows={2}
            value={draft.firstText}
            onChange={(event) => edit({ firstText: event.currentTarget.value })}
            error={errors.starting_message}
          />
          <Textarea
            label="Instructions"
            description="What the agent is to find out, and what it must not say."
            required
            autosize
            minRows={3}
            value={draft.prompt}
            onChange={(event) => edit({ prompt: event.currentTarget.value })}
            error={errors.prompt}
          />
          <NumberField
            label="Sender"
            description="The number that the texts come from."
            value={draft.sender}
            onChange={(sender) => edit({ sender })}
            error={errors.svc_sms_number}
          />
        </Stack>
      )}
    </Stack>
  );
}
