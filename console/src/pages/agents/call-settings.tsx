import { Autocomplete, Select, SimpleGrid, Switch, TagsInput, TextInput } from "@mantine/core";
import { AmountField } from "./amount-field.tsx";
import type { Editing } from "./builder.tsx";
import { Section } from "./section.tsx";
import { TemplateField } from "./template-field.tsx";
import { VoiceField } from "./voice-field.tsx";

const SOUNDS = [
  { value: "", label: "None" },
  { value: "coffee-shop", label: "Coffee shop" },
  { value: "convention-hall", label: "Convention hall" },
  { value: "summer-outdoor", label: "Outdoors in summer" },
  { value: "mountain-outdoor", label: "In the mountains" },
  { value: "static-noise", label: "Static noise" },
  { value: "call-center", label: "Call center" },
];
const LANGUAGES = [
  "en-US",
  "en-GB",
  "en-AU",
  "en-CA",
  "es-US",
  "es-ES",
  "es-MX",
  "fr-CA",
  "fr-FR",
  "de-DE",
  "pt-BR",
  "it-IT",
];

/** How an agent sounds that calls. */
export function VoiceSettings({ draft, edit, errors }: Editing) {
  return (
    <Section title="Voice">
      <VoiceField draft={draft} edit={edit} errors={errors} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Autocomplete
          label="Language"
          description="A language tag such as en-US"
          data={LANGUAGES}
          value={draft.language}
          onChange={(language) => edit({ language })}
          error={errors.language}
        />
        <AmountField
          label="Liveliness"
          description="0 is even, 2 is lively; heeded where the voice has such a thing"
          min={0}
          max={2}
          step={0.1}
          value={draft.voice_temperature}
          onChange={(voice_temperature) => edit({ voice_temperature })}
          error={errors.voice_temperature}
        />
        <Select
          label="Sound behind the voice"
          data={SOUNDS}
          allowDeselect={false}
          value={draft.ambient_sound}
          onChange={(value) => edit({ ambient_sound: value ?? "" })}
          error={errors.ambient_sound}
        />
        <AmountField
          label="Loudness of that sound"
          min={0}
          max={2}
          step={0.1}
          disabled={draft.ambient_sound === ""}
          value={draft.ambient_sound_volume}
          onChange={(ambient_sound_volume) => edit({ ambient_sound_volume })}
          error={errors.ambient_sound_volume}
        />
      </SimpleGrid>
    </Section>
  );
}

/** How an agent behaves that calls. */
export function CallSettings({ draft, edit, errors, variables }: Editing) {
  return (
    <>
      <Section title="How it talks">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <AmountField
            label="Interruption sensitivity"
            description="0 talks on, 1 stops at the first word"
            min={0}
            max={1}
            step={0.1}
            value={draft.interruption_sensitivity}
            onChange={(interruption_sensitivity) => edit({ interruption_sensitivity })}
            error={errors.interruption_sensitivity}
          />
          <AmountField
            label="Answers quickly"
            description="0 waits longer for the contact to go on, 1 answers at once"
            min={0}
            max={1}
            step={0.1}
            value={draft.responsiveness}
            onChange={(responsiveness) => edit({ responsiveness })}
            error={errors.responsiveness}
          />
        </SimpleGrid>
        <TagsInput
          label="Words to listen for"
          description="Names and terms that are often misheard. Press Enter after each."
          value={draft.boosted_keywords}
          onChange={(boosted_keywords) => edit({ boosted_keywords })}
          error={errors.boosted_keywords}
        />
        <TextInput
          label="Transfer calls to"
          type="tel"
          description="Who asks for a person is transferred to this number. Left empty, nobody is."
          placeholder="+12125550123"
          value={draft.transfer_to}
          onChange={(event) => edit({ transfer_to: event.currentTarget.value })}
          error={errors.transfer_to}
        />
      </Section>
      <Section title="Voicemail and recording">
        <Switch
          label="Notices voicemail"
          description="Else it talks to a mailbox as to a person."
          checked={draft.detect_voicemail}
          onChange={(event) => edit({ detect_voicemail: event.currentTarget.checked })}
        />
        <TemplateField
          label="What it leaves on a voicemail"
          description="Left empty, it hangs up. Type {{ to insert a field of the contact; {{city|your area}} has words for those without it."
          value={draft.voicemail_message}
          onChange={(voicemail_message) => edit({ voicemail_message })}
          variables={variables}
          error={errors.voicemail_message}
          disabled={!draft.detect_voicemail}
        />
        <Switch
          label="Records its calls"
          description="Both sides, to be heard in Calls."
          checked={draft.record}
          onChange={(event) => edit({ record: event.currentTarget.checked })}
        />
        <TextInput
          label="Says of the recording"
          description="Before anything else. In some states everybody on a call has to agree to its recording."
          placeholder="This call is recorded."
          maxLength={500}
          disabled={!draft.record}
          value={draft.recording_disclosure}
          onChange={(event) => edit({ recording_disclosure: event.currentTarget.value })}
          error={errors.recording_disclosure}
        />
      </Section>
      <Section title="How long">
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <AmountField
            label="Lets it ring"
            suffix=" s"
            min={5}
            max={300}
            value={draft.ring_duration_seconds}
            onChange={(ring_duration_seconds) => edit({ ring_duration_seconds })}
            error={errors.ring_duration_seconds}
          />
          <AmountField
            label="Hangs up after silence of"
            suffix=" s"
            min={10}
            max={7200}
            value={draft.end_call_after_silence_seconds}
            onChange={(end_call_after_silence_seconds) => edit({ end_call_after_silence_seconds })}
            error={errors.end_call_after_silence_seconds}
          />
          <AmountField
            label="Longest call"
            suffix=" min"
            min={1}
            max={120}
            value={draft.max_call_duration_minutes}
            onChange={(max_call_duration_minutes) => edit({ max_call_duration_minutes })}
            error={errors.max_call_duration_minutes}
          />
        </SimpleGrid>
      </Section>
    </>
  );
}
