import { Stack, Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { AgentSelect } from "./agent.tsx";
import type { CampaignDraft } from "./new-draft.ts";

/**
 * The name, the agent and the objective of a new campaign.
 *
 * @param agent its type, what it does, and what the API said of it
 * @param numbers the field of its numbers
 * @param goal what an objective is of: "a conversation", "a call"
 * @param children what comes below
 */
export function SetupFields({
  draft,
  edit,
  errors,
  agent,
  numbers,
  goal,
  children,
}: {
  draft: CampaignDraft;
  edit: (some: Partial<CampaignDraft>) => void;
  errors: Readonly<Record<string, string>>;
  agent: { type: "sms" | "voice"; description: string; error: string | undefined };
  numbers: ReactNode;
  goal: string;
  children?: ReactNode;
}) {
  return (
    <Stack gap="md" maw={560}>
      <TextInput
        label="Name"
        required
        placeholder="Spring buyers"
        value={draft.name}
        onChange={(event) => edit({ name: event.currentTarget.value })}
        error={errors.campaign_name}
      />
      <AgentSelect label="Agent" {...agent} value={draft.agentId} onChange={(agentId) => edit({ agentId })} />
      {numbers}
      <Textarea
        label="Objective"
        description={`What ${goal} should come to, in your words. May stay empty: the agent has its own.`}
        autosize
        minRows={2}
        value={draft.objective}
        onChange={(event) => edit({ objective: event.currentTarget.value })}
        error={errors.objective}
      />
      {children}
    </Stack>
  );
}
