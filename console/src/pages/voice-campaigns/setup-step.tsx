import { Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { AgentSelect } from "#parts/campaigns/agent.tsx";
import { NumberHint, useOwnNumbers } from "#parts/campaigns/number.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import type { Draft } from "./draft.ts";

/** Who calls, from which numbers, and what it is to achieve. */
export function SetupStep({
  draft,
  edit,
  errors,
}: {
  draft: Draft;
  edit: (some: Partial<Draft>) => void;
  errors: Readonly<Record<string, string>>;
}) {
  const numbers = useOwnNumbers();
  const ofPool = Object.entries(errors).find(([field]) => field.startsWith("agent_outbound_number"))?.[1];
  return (
    <Stack gap="md" maw={560}>
      <TextInput
        label="Name"
        placeholder="Spring buyers"
        value={draft.name}
        onChange={(event) => edit({ name: event.currentTarget.value })}
        error={errors.campaign_name}
      />
      <AgentSelect
        type="voice"
        label="Agent"
        description="Who talks with the contacts."
        value={draft.agentId}
        onChange={(agentId) => edit({ agentId })}
        error={errors.voice_agent_id}
      />
      <TagsInput
        label="Numbers"
        description={
          <NumberHint text="Calls come from these in turns. Choose one or several, or type one and press Enter." />
        }
        required
        placeholder={draft.numbers.length === 0 ? "+12125550100" : ""}
        data={numbers}
        renderOption={({ option }) => formatPhone(option.value)}
        value={draft.numbers}
        onChange={(chosen) => edit({ numbers: chosen })}
        splitChars={[",", ";"]}
        acceptValueOnBlur
        maxTags={100}
        error={ofPool}
      />
      <Textarea
        label="Objective"
        description="What a call should come to, in your words. May stay empty: the agent has its own."
        autosize
        minRows={2}
        value={draft.objective}
        onChange={(event) => edit({ objective: event.currentTarget.value })}
        error={errors.objective}
      />
    </Stack>
  );
}
