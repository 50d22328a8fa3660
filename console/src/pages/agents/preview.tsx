import { Alert, Paper, Select, Stack, Text, Timeline, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callUntil } from "#api/client.ts";
import { messageOf } from "#api/error.ts";
import type { Answer, Args } from "#api/operations.ts";
import { useOrganization } from "#api/session.ts";
import { contactLabel, MADE_UP_CONTACT, type TemplateFields } from "#parts/form/template-fields.ts";
import classes from "./agents.module.css";
import type { Draft } from "./draft.ts";

type Shown = Answer<"POST /v1/playground/preview">["preview"]["texts"][number];
type PreviewArgs = Args<"POST /v1/playground/preview">;

/** Who types is not asked about every letter. */
const PAUSE_MS = 400;

/** The agent's own texts as one contact would get them, filled in by the service. */
export function Preview({ draft, variables }: { draft: Draft; variables: TemplateFields }) {
  const { organization_id } = useOrganization();
  const [chosen, setChosen] = useState<string>();
  const { contacts } = variables;
  const contact = contacts.find(({ unique_id }) => unique_id === (chosen ?? contacts[0]?.unique_id)) ?? MADE_UP_CONTACT;
  const [wanted] = useDebouncedValue(JSON.stringify(textsOf(draft)), PAUSE_MS);
  const args = { body: { organization_id, draft: JSON.parse(wanted), contact } } as PreviewArgs;
  const isWritten = isSound(JSON.parse(wanted));
  const { data, error } = useQuery({
    queryKey: ["POST /v1/playground/preview", args],
    queryFn: ({ signal }) => callUntil(signal, "POST /v1/playground/preview", args),
    enabled: isWritten,
    placeholderData: keepPreviousData,
  });
  const texts = data?.preview.texts ?? [];
  return (
    <Paper p="lg" component="section" aria-label="Preview">
      <Stack gap="md">
        <Title order={2}>Preview</Title>
        <Select
          label="For"
          data={[
            ...contacts.map((contact) => ({ value: contact.unique_id, label: contactLabel(contact) })),
            { value: "", label: "A made-up contact" },
          ]}
          searchable
          allowDeselect={false}
          value={chosen ?? contacts[0]?.unique_id ?? ""}
          onChange={(value) => setChosen(value ?? "")}
        />
        {error && <Alert color="red">{messageOf(error)}</Alert>}
        {!isWritten && (
          <Text c="dimmed">A text is not finished: it has an open {"{{"}, a wrong fallback, or no day.</Text>
        )}
        {isWritten && !error && texts.length === 0 && <Text c="dimmed">Nothing is written yet.</Text>}
        <Timeline bulletSize={12} lineWidth={2} active={-1}>
          {texts.map((text) => (
            <Timeline.Item key={`${text.kind} ${text.day}`} title={titleOf(text, draft)}>
              <Bubble text={text} />
            </Timeline.Item>
          ))}
        </Timeline>
      </Stack>
    </Paper>
  );
}

function Bubble({ text }: { text: Shown }) {
  if (text.text === null) {
    return (
      <Text size="sm" c="red">
        {text.missing_variable === null ? "It is empty." : `Not sent: this contact has no ${text.missing_variable}.`}
      </Text>
    );
  }
  return (
    <>
      <div className={classes.bubble}>{text.text}</div>
      {text.segments !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          {text.segments === 1 ? "1 segment" : `${text.segments} segments`}
          {text.encoding === "UCS-2" && ", shorter ones for an emoji or a special character"}
        </Text>
      )}
    </>
  );
}

function titleOf({ kind, day }: Shown, { agent_type }: Draft): string {
  if (kind === "voicemail_message") return "On a voicemail";
  if (kind === "starting_message") return agent_type === "voice" ? "When the call is answered" : "At once";
  return day === 0 ? "The same day" : day === 1 ? "A day later" : `${day} days later`;
}

type Texts = Pick<Draft, "starting_message" | "voicemail_message" | "drip_schedule">;

/** A draft of which nothing but its texts can be wrong. */
function textsOf({ agent_type, starting_message, voicemail_message, drip_schedule }: Draft) {
  const common = { agent_type, agent_name: "-", prompt: "-", starting_message };
  if (agent_type === "voice") return { ...common, voice_id: "offline-slt", voicemail_message, drip_schedule: [] };
  return {
    ...common,
    voicemail_message: "",
    drip_schedule: drip_schedule.filter(({ message }) => message.trim() !== ""),
  };
}

const MAX_FALLBACK_LENGTH = 100;

/** Every `{{` has its `}}`, a name between them, perhaps with a fallback, and no other brace. */
function isClosed(text: string): boolean {
  const [before, ...parts] = text.split("{{");
  return (
    !before!.includes("}}") &&
    parts.every((part) => {
      const close = part.indexOf("}}");
      const inside = part.slice(0, close);
      const [name, fallback = "", ...more] = inside.split("|");
      return (
        close >= 0 &&
        name!.trim() !== "" &&
        fallback.trim().length <= MAX_FALLBACK_LENGTH &&
        more.length === 0 &&
        !/[{}\n]/.test(inside) &&
        !/^}|}}/.test(part.slice(close + 2))
      );
    })
  );
}

/** What is being written is open at some place; the service would refuse it. */
function isSound({ starting_message, voicemail_message, drip_schedule }: Texts): boolean {
  const days = drip_schedule.map(({ day }) => day);
  return (
    [starting_message, voicemail_message, ...drip_schedule.map(({ message }) => message)].every(isClosed) &&
    days.every((day) => Number.isInteger(day) && Number(day) >= 0 && Number(day) <= 3650) &&
    new Set(days).size === days.length
  );
}
