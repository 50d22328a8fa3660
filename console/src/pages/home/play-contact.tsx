import { ActionIcon, Button, Group, Paper, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { messageOf } from "#api/error.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan, useOrganization, useSession } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import styles from "./home.module.css";

const LINES = ["Yes, tell me more", "How did you get my number?", "Not now, maybe next week"] as const;
const STALE = ["GET /v1/sms/threads/:thread_id", "GET /v1/sms/threads"] as const;
/** As many conversations as are looked through for one that still goes on. */
const LOOKED_AT = 20;

/** A simulated phone on the page: one texts the agent as its contact. Only in the simulator, and for who may play all phones. */
export function PlayContact() {
  const { mode } = useSession();
  const { organization_id } = useOrganization();
  const mayPlay = useCan("send", { tenantWide: true });
  const isShown = mode === "test" && mayPlay;
  const threads = useAnswer(
    "GET /v1/sms/threads",
    isShown ? { query: { organization_id, limit: LOOKED_AT } } : undefined,
  ).data?.threads;
  const first =
    threads?.find(({ state, agent_awake }) => state === "replied" && agent_awake) ??
    threads?.find(({ state }) => state !== "opted_out");
  // Whoever was shown first stays, although another contact has written meanwhile.
  const [chosen, setChosen] = useState<{ organization_id: string; thread: NonNullable<typeof first> }>();
  useEffect(() => {
    if (first && chosen?.organization_id !== organization_id) setChosen({ organization_id, thread: first });
  }, [first, chosen, organization_id]);
  const open = chosen?.organization_id === organization_id ? chosen.thread : first;
  if (!isShown) return null;
  // As high as the phone will be, so that nothing moves when it comes.
  if (threads === undefined) return <Skeleton h="29rem" />;
  return (
    <Paper p="lg" component="section" aria-label="Play the contact">
      <Title order={2}>Play the contact</Title>
      <Text size="sm" c="dimmed" mb="md">
        Text your agent from a simulated phone, and read what it answers.
      </Text>
      {open === undefined ? (
        <LinkButton to="/sms-campaigns/new" variant="default">
          Text a first contact
        </LinkButton>
      ) : (
        <Phone
          key={open.thread_id}
          threadId={open.thread_id}
          name={open.contact_name ?? formatPhone(open.phone_number)}
        />
      )}
    </Paper>
  );
}

function Phone({ threadId, name }: { threadId: string; name: string }) {
  const thread = useAnswer("GET /v1/sms/threads/:thread_id", { params: { thread_id: threadId } }).data?.thread;
  const campaign = useAnswer(
    "GET /v1/campaigns/:campaign_id",
    thread && { params: { campaign_id: thread.campaign_id } },
  ).data?.campaign;
  const send = useSend("POST /v1/simulator/handsets/:phone_number/messages", STALE, { isShown: true });
  const [text, setText] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const said = (thread?.messages ?? []).filter(({ state }) =>
    ["received", "sent", "delivered", "accepted"].includes(state),
  );
  const last = said.at(-1)?.message_id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what came last is scrolled to.
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last]);
  const isReady = thread !== undefined && campaign !== undefined && !send.isPending;
  const say = (words: string) => {
    if (!isReady || words.trim() === "") return;
    const body = { to: campaign.svc_sms_number, text: words };
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
