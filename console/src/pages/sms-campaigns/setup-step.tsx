import { Button, Checkbox, Group, Input, Stack } from "@mantine/core";
import { AgentSelect } from "#parts/campaigns/agent.tsx";
import { NumberField } from "#parts/campaigns/number.tsx";
import { SetupFields } from "#parts/campaigns/setup-fields.tsx";
import { MOST_PICTURES, PictureAddresses } from "#parts/form/picture-addresses.tsx";
import { IconPhoto } from "#parts/icons/tabler.ts";
import type { Draft } from "./draft.ts";

/** Who texts, from which number, and what it is to achieve. */
export function SetupStep({
  draft,
  edit,
  errors,
}: {
  draft: Draft;
  edit: (some: Partial<Draft>) => void;
  errors: Readonly<Record<string, string>>;
}) {
  return (
    <SetupFields
      draft={draft}
      edit={edit}
      errors={errors}
      agent={{ type: "sms", description: "Who writes the texts and answers.", error: errors.sms_agent_id }}
      numbers={
        <NumberField
          label="Sender"
          description="The number that the texts come from."
          value={draft.sender}
          onChange={(sender) => edit({ sender })}
          error={errors.svc_sms_number}
        />
      }
      goal="a conversation"
    >
      <Input.Wrapper
        label="Pictures"
        labelElement="div"
        description="They go with the first text (MMS), from a number that can send them. {{media_url}} is the picture in each contact's field of that name."
      >
        <Stack gap={0} mt={4} align="flex-start">
          <PictureAddresses
            urls={draft.pictures}
            onChange={(pictures) => edit({ pictures })}
            problem={errors.media_urls}
          />
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPhoto size={14} />}
            disabled={draft.pictures.length >= MOST_PICTURES}
            onClick={() => edit({ pictures: [...draft.pictures, ""] })}
          >
            Attach a picture
          </Button>
        </Stack>
      </Input.Wrapper>
      <Checkbox
        label="Call contacts on request"
        description="A contact who wants to talk is called by a voice agent."
        checked={draft.toVoice}
        onChange={(event) => edit({ toVoice: event.currentTarget.checked })}
      />
      {draft.toVoice && (
        <Group align="flex-start" grow preventGrowOverflow={false}>
          <AgentSelect
            type="voice"
            label="Voice agent"
            value={draft.voiceAgentId}
            onChange={(voiceAgentId) => edit({ voiceAgentId })}
            error={errors.voice_agent_id}
          />
          <NumberField
            label="Calls come from"
            value={draft.outboundNumber}
            onChange={(outboundNumber) => edit({ outboundNumber })}
            error={errors.outbound_number}
          />
        </Group>
      )}
    </SetupFields>
  );
}
