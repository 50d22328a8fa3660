import { ActionIcon, Autocomplete, Group, Menu, Text, Textarea, Tooltip } from "@mantine/core";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { fieldErrors, messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import { useOwnNumbers } from "#parts/campaigns/number.tsx";
import { IconPhone, IconSend } from "#parts/icons/tabler.ts";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { e164 } from "./scripts.ts";
import styles from "./simulator.module.css";

const STALE = ["GET /v1/simulator/handsets/:phone_number", "GET /v1/simulator/handsets"] as const;
/** What is quickly tried. */
const QUICK = ["Yes, tell me more", "Who is this?", "STOP", "HELP", "START"] as const;
const ONLY_SENDERS = "Your permission does not include sending.";

/** What the phone says: a text to one of our numbers, or a call. */
export function Composer({
  phone,
  suggested,
  mayAct,
}: {
  phone: string;
  suggested: string | undefined;
  mayAct: boolean;
}) {
  const own = useOwnNumbers() ?? [];
  const [chosen, setChosen] = useState<string>();
  const [text, setText] = useState("");
  const [done, setDone] = useState("");
  const send = useSend("POST /v1/simulator/handsets/:phone_number/messages", STALE, { isShown: true });
  const dial = useSend("POST /v1/simulator/handsets/:phone_number/calls", STALE, { isShown: true });
  const to = chosen ?? suggested ?? own[0] ?? "";
  const params = { phone_number: phone };
  const error = send.error ?? dial.error;
  const wrong = fieldErrors(error);

  const submit = async (words: string) => {
    if (words.trim() === "") return;
    dial.reset();
    setDone("");
    try {
      await send.mutateAsync({ params, body: { to_number: e164(to) ?? to, text: words } });
      setText("");
    } catch {
      // Said below, and what was typed stays.
    }
  };
  const call = async () => {
    send.reset();
    try {
      await dial.mutateAsync({ params, body: { to_number: e164(to) ?? to } });
      setDone(`Calling ${formatPhone(to)}: it rings there in a moment.`);
    } catch {
      // Said below.
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    void submit(text);
  };
  const name = formatPhone(phone);
  return (
    <form className={styles.composer} onSubmit={onSubmit}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Autocomplete
          aria-label={`Number that ${name} texts or calls`}
          leftSection={<Text size="xs">To</Text>}
          placeholder="A number of yours"
          size="xs"
          flex={1}
          data={own}
          renderOption={({ option }) => formatPhone(option.value)}
          value={to}
          onChange={setChosen}
          error={wrong.to_number}
          disabled={!mayAct}
          inputMode="tel"
        />
        <Menu position="top-end" disabled={!mayAct}>
          <Menu.Target>
            <Text component="button" type="button" size="xs" className={styles.quick} disabled={!mayAct}>
              Quick texts
            </Text>
          </Menu.Target>
          <Menu.Dropdown>
            {QUICK.map((words) => (
              <Menu.Item key={words} onClick={() => void submit(words)}>
                {words}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <Textarea
          aria-label={`Text from ${name}`}
          placeholder={mayAct ? "Text from this phone" : ONLY_SENDERS}
          autosize
          minRows={1}
          maxRows={5}
          flex={1}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          error={wrong.text}
          disabled={!mayAct}
        />
        <Tooltip label={mayAct ? "Send (Enter)" : ONLY_SENDERS} disabled={mayAct && text.trim() === ""}>
          <ActionIcon
            type="submit"
            size={32}
            aria-label={`Send the text from ${name}`}
            loading={send.isPending}
            disabled={!mayAct || text.trim() === ""}
          >
            <IconSend size={16} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label={mayAct ? "Call this number" : ONLY_SENDERS}>
          <ActionIcon
            size={32}
            variant="default"
            aria-label={`Call from ${name}`}
            loading={dial.isPending}
            disabled={!mayAct || to === ""}
            onClick={() => void call()}
          >
            <IconPhone size={16} />
          </ActionIcon>
        </Tooltip>
      </Group>
      <Text size="xs" c={error ? "red" : "dimmed"} role="status">
        {error ? (wrong.to_number || wrong.text ? "" : messageOf(error)) : done}
      </Text>
    </form>
  );
}
