import { ActionIcon, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { messageOf } from "#api/error.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { IconSend } from "#parts/icons/tabler.ts";
import styles from "./contact-phone.module.css";

const LINES = ["Yes, tell me more", "How did you get my number?", "Not now, maybe next week"] as const;
const STALE = ["GET /v1/sms/threads/:thread_id", "GET /v1/sms/threads"] as const;

/** The simulated phone of a conversation's contact: what it had and sent, and the means to answer as the contact. */
export function ContactPhone({ threadId, name }: { threadId: string; name: string }) {
  const thread = useAnswer("GET /v1/sms/threads/:thread_id", { params: { thread_id: threadId } }).data?.thread;
  const campaign = useAnswer(
    "GET /v1/campaigns/:campaign_id",
    thread && { params: { campaign_id: thread.campaign_id } },
  ).data?.campaign;
  const send = useSend("POST /v1/simulator/handsets/:phone_number/messages", STALE, { isShown: true });
  const [text, setText] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const said = (thread?.messages ?? []).filter(({ status }) =>
    ["received", "sent", "delivered", "accepted"].includes(status),
  );
  const last = said.at(-1)?.message_id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what came last is scrolled to.
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last]);
  const isReady = thread !== undefined && campaign !== undefined && !send.isPending;
  const say = (words: string) => {
    if (!isReady || words.trim() === "") return;
    const body = { to_number: campaign.svc_sms_number, text: words };
    send.mutate({ params: { phone_number: thread.phone_number }, body }, { onSuccess: () => setText("") });
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    say(text);
  };
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          The phone of {name}
        </Text>
        <Text
          component={Link}
          to={`/conversations/${encodeURIComponent(threadId)}`}
          size="sm"
          td="underline"
          c="bright"
        >
          The agent's side
        </Text>
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
      <div className={styles.feed} ref={box} role="log" aria-label={`Texts of ${name}`} tabIndex={0}>
        {said.map(({ message_id, direction, text: words }) => (
          <Text key={message_id} size="sm" className={styles.bubble} data-own={direction === "inbound" || undefined}>
            {words}
          </Text>
        ))}
      </div>
      <Group gap={6}>
        {LINES.map((line) => (
          <Button key={line} size="compact-sm" variant="default" disabled={!isReady} onClick={() => say(line)}>
            {line}
          </Button>
        ))}
      </Group>
      <form onSubmit={onSubmit}>
        <Group gap="xs" wrap="nowrap">
          <TextInput
            aria-label={`What ${name} texts`}
            placeholder="Or in your words"
            flex={1}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={send.error ? messageOf(send.error) : undefined}
          />
          <ActionIcon type="submit" size={36} aria-label="Text it" disabled={!isReady || text.trim() === ""}>
            <IconSend size={16} />
          </ActionIcon>
        </Group>
      </form>
    </Stack>
  );
}
