import { ActionIcon, Group, Text, Textarea, Tooltip } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { fieldErrors, messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import styles from "./conversations.module.css";
import type { ThreadData } from "./thread.tsx";

const STALE = ["GET /v1/sms/threads/:thread_id", "GET /v1/sms/threads"] as const;
/** As long as the API takes. */
const MOST = 1_600;

/** What was typed and not sent, by conversation: another one may be looked at meanwhile. */
const drafts = new Map<string, string>();

/** A person's own text. It takes the conversation over. */
export function Write({ thread, mayAct }: { thread: ThreadData; mayAct: boolean }) {
  const [text, setText] = useState(() => drafts.get(thread.thread_id) ?? "");
  const send = useSend("POST /v1/sms/threads/:thread_id/messages", STALE, { isShown: true });
  const isOver = thread.opted_out;
  const isOff = !mayAct || isOver;
  const change = (next: string) => {
    drafts.set(thread.thread_id, next);
    setText(next);
  };
  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (isOff || text.trim() === "" || send.isPending) return;
    try {
      await send.mutateAsync({ params: { thread_id: thread.thread_id }, body: { text } });
      change("");
    } catch {
      // Said below, and what was typed stays.
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    void submit();
  };
  const hint = isOver
    ? "The contact has opted out. Nothing more may be sent."
    : !mayAct
      ? "Your permission does not include sending."
      : thread.agent_awake
        ? "Sending takes the conversation over: the agent stops answering until you hand it back."
        : "You have the conversation. Turn the agent on to hand it back.";
  return (
    <form className={styles.write} onSubmit={(event) => void submit(event)}>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <Textarea
          aria-label="Your text"
          placeholder="Write a text"
          autosize
          minRows={1}
          maxRows={8}
          maxLength={MOST}
          flex={1}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          disabled={isOff}
          error={fieldErrors(send.error).text}
        />
        <Tooltip label={isOff ? hint : "Send (Enter)"} disabled={!isOff && text.trim() === ""}>
          <ActionIcon
            type="submit"
            size={32}
            aria-label="Send"
            loading={send.isPending}
            disabled={isOff || text.trim() === ""}
          >
            <IconSend size={16} />
          </ActionIcon>
        </Tooltip>
      </Group>
      <Text size="xs" c={send.error ? "red" : "dimmed"} role="status" mt={4}>
        {send.error && !fieldErrors(send.error).text ? messageOf(send.error) : hint}
      </Text>
    </form>
  );
}
