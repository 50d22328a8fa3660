import { Button, Group, Modal, Radio, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useOrganization } from "#api/session.ts";
import { TRADES } from "#parts/agents/trades.ts";
import { NumberField } from "#parts/campaigns/number.tsx";
import { type Draft, isAsTemplate, tradeFields } from "./draft.ts";

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
  /** The trade that was chosen over words of somebody's own. */
  const [asked, setAsked] = useState<string>();
  const take = (trade: string) => {
    setAsked(undefined);
    edit(tradeFields(trade, organization_name));
  };
  return (
    <Stack gap="lg">
      <Modal opened={asked !== undefined} onClose={() => setAsked(undefined)} title="Replace what you have written?">
        <Stack>
          <Text>Another trade fills in the name, the first text and the instructions anew. Yours are lost.</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsked(undefined)}>
              Keep mine
            </Button>
            <Button color="red" onClick={() => asked !== undefined && take(asked)}>
              Replace
            </Button>
          </Group>
        </Stack>
      </Modal>
      <Radio.Group
        label="What do you do?"
        description="This fills in an agent, which can be changed at any time."
        required
        value={draft.trade}
        onChange={(trade) => (isAsTemplate(draft, organization_name) ? take(trade) : setAsked(trade))}
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
