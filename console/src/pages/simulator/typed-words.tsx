import { ActionIcon, Group, TextInput, Tooltip } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { IconPhoneOff, IconSend } from "#parts/icons/tabler.ts";

/** What somebody says in a call by typing it. */
export function TypedWords({
  isOff,
  mayAct,
  say,
  hangUp,
}: {
  isOff: boolean;
  mayAct: boolean;
  say: (text: string, onSaid: () => void) => void;
  hangUp: () => void;
}) {
  const [words, setWords] = useState("");
  const speak = (event: FormEvent) => {
    event.preventDefault();
    if (words.trim() !== "") say(words, () => setWords(""));
  };
  return (
    <form onSubmit={speak}>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          aria-label="What you say in the call"
          placeholder="Say something"
          size="xs"
          flex={1}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
          disabled={!mayAct}
        />
        <Tooltip label="Say it (Enter)">
          <ActionIcon type="submit" size={30} aria-label="Say it" disabled={isOff || words.trim() === ""}>
            <IconSend size={14} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label="Hang up">
          <ActionIcon size={30} color="red" aria-label="Hang up" disabled={isOff} onClick={hangUp}>
            <IconPhoneOff size={14} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </form>
  );
}
