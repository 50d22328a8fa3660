import { Autocomplete, Button, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { TemplateFields } from "#parts/form/template-fields.ts";
import { IconChevronDown, IconChevronUp } from "#parts/icons/tabler.ts";
import { AmountField } from "./amount-field.tsx";
import { CallSettings, VoiceSettings } from "./call-settings.tsx";
import type { Draft, Errors } from "./draft.ts";
import { Drips } from "./drips.tsx";
import { ExtractionFields } from "./extraction-fields.tsx";
import { Section } from "./section.tsx";
import { TemplateField } from "./template-field.tsx";
import { TextSettings } from "./text-settings.tsx";

export type Editing = {
  draft: Draft;
  edit: (some: Partial<Draft>) => void;
  errors: Errors;
  variables: TemplateFields;
};

const HINT = "Type {{ to insert a field of the contact; {{city|your area}} has words for those without it.";

/** All fields of an agent, in groups. */
export function Builder(props: Editing) {
  const { draft, edit, errors, variables } = props;
  const isVoice = draft.agent_type === "voice";
  return (
    <Stack gap="md">
      <Section title="Who it is">
        <TextInput
          label="Name"
          description="The agent says it when it introduces itself."
          required
          maxLength={200}
          value={draft.agent_name}
          onChange={(event) => edit({ agent_name: event.currentTarget.value })}
          error={errors.agent_name}
        />
      </Section>
      <Section title="What it says and does">
        <TemplateField
          label="Instructions"
          description="Who it is, what it wants to achieve, what it may promise and what not. It knows all fields of the contact; {{name}} points at one."
          required
          minRows={8}
          value={draft.prompt}
          onChange={(prompt) => edit({ prompt })}
          variables={variables}
          error={errors.prompt}
        />
        <TemplateField
          label={isVoice ? "First words" : "First text"}
          description={
            isVoice
              ? `What it says when the call is answered; left empty, it says who it is and for whom it calls. ${HINT}`
              : `What a campaign sends to everybody. Who lacks a field of it that has no fallback gets no text. ${HINT}`
          }
          value={draft.starting_message}
          onChange={(starting_message) => edit({ starting_message })}
          variables={variables}
          error={errors.starting_message}
        />
      </Section>
      {!isVoice && <Drips {...props} />}
      <ExtractionFields {...props} />
      {isVoice && <VoiceSettings {...props} />}
      <Advanced {...props} />
    </Stack>
  );
}

/** Shown without being asked for: what is wrong with any other field opens what is folded. */
const ALWAYS_SHOWN = [
  "agent_name",
  "prompt",
  "starting_message",
  "extraction_fields",
  "drip_schedule",
  "voice_id",
  "voice_speed",
  "language",
  "voice_temperature",
  "ambient_sound",
  "ambient_sound_volume",
];

/** What most agents leave as it is. */
function Advanced(props: Editing) {
  const { draft, edit, errors } = props;
  const [isOpen, { toggle }] = useDisclosure(false);
  const isWrong = Object.keys(errors).some((field) => !ALWAYS_SHOWN.includes(field.split(/[.[]/)[0]!));
  const isShown = isOpen || isWrong;
  return (
    <>
      <Button
        variant="default"
        onClick={toggle}
        aria-expanded={isShown}
        style={{ alignSelf: "flex-start" }}
        rightSection={isShown ? <IconChevronUp size={15} aria-hidden /> : <IconChevronDown size={15} aria-hidden />}
      >
        Advanced settings
      </Button>
      {isShown && (
        <>
          {draft.agent_type === "voice" ? <CallSettings {...props} /> : <TextSettings {...props} />}
          <Section
            title="Language model"
            about="Left empty, what the service is set up with. Another model needs an endpoint that has it."
          >
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <Autocomplete
                label="Model"
                placeholder="As the service is set up"
                value={draft.model}
                onChange={(model) => edit({ model })}
                error={errors.model}
              />
              <AmountField
                label="Temperature"
                description="0 is the most predictable, 2 the most inventive."
                min={0}
                max={2}
                step={0.1}
                value={draft.temperature}
                onChange={(temperature) => edit({ temperature })}
                error={errors.temperature}
              />
            </SimpleGrid>
          </Section>
        </>
      )}
    </>
  );
}
