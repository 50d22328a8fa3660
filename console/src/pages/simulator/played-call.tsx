import { ActionIcon, Button, Group, Text, TextInput, Tooltip } from "@mantine/core";
import { IconPhone, IconPhoneOff, IconRecordMail, IconSend } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import type { HandsetCall } from "./feed.ts";
import styles from "./simulator.module.css";

const STALE = ["GET /v1/simulator/handsets/:phone_number"] as const;

/** A call that goes on and is played by hand: it is taken or not, and what is typed is said. */
export function PlayedCall({ call, phone, mayAct }: { call: HandsetCall; phone: string; mayAct: boolean }) {
  const act = useSend("POST /v1/simulator/handsets/:phone_number/calls/:call", STALE, { isShown: true });
  const [words, setWords] = useState("");
  const params = { phone_number: phone, call: call.carrier_id };
  const speak = (event: FormEvent) => {
    event.preventDefault();
    if (words.trim() === "") return;
    act.mutate({ params, body: { action: "speak", text: words } }, { onSuccess: () => setWords("") });
  };
  const isOff = !mayAct || act.isPending;
  return (
    <div className={styles.played}>
      {call.said.map(({ by, text }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added at the end.
        <Text key={i} size="sm" className={styles.words}>
          <Text span inherit c="dimmed">
            {by === "agent" ? "Agent: " : "You: "}
          </Text>
          {text}
        </Text>
      ))}
      {call.stage === "ringing" ? (
        <Group gap="xs">
          <Button
            size="xs"
            leftSection={<IconPhone size={14} />}
            disabled={isOff}
            onClick={() => act.mutate({ params, body: { action: "answer" } })}
          >
            Answer
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPhoneOff size={14} />}
            disabled={isOff}
            onClick={() => act.mutate({ params, body: { action: "decline" } })}
          >
            Decline
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRecordMail size={14} />}
            disabled={isOff}
            onClick={() => act.mutate({ params, body: { action: "voicemail" } })}
          >
            To voicemail
          </Button>
        </Group>
      ) : (
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
              <ActionIcon
                size={30}
                color="red"
                aria-label="Hang up"
                disabled={isOff}
                onClick={() => act.mutate({ params, body: { action: "hang_up" } })}
              >
                <IconPhoneOff size={14} />
              </ActionIcon>
            </Tooltip>
          </Group>
        </form>
      )}
      <Text size="xs" c={act.error ? "red" : "dimmed"} role="status">
        {act.error
          ? messageOf(act.error)
          : call.stage === "ringing"
            ? "Do nothing, and it rings until the agent gives up."
            : "The agent answers when it has heard you out."}
      </Text>
    </div>
  );
}
