import { ActionIcon, Button, Group, Menu, Paper, Skeleton, Text, Title, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useEffect, useMemo, useRef, useState } from "react";
import { Link } from "react-router";
import { useAnswer, useSend } from "#api/query.ts";
import { curl } from "#parts/form/copy-as-curl.tsx";
import { IconAdjustments, IconCopy, IconDots, IconMessages, IconPhoneCall, IconX } from "#parts/icons/tabler.ts";
import { ErrorState } from "#parts/page/error-state.tsx";
import { callLength } from "#parts/show/figures.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { Behavior } from "./behavior.tsx";
import { Composer } from "./composer.tsx";
import { type Entry, feedOf, type HandsetCall, otherEnd, outcomeWord, STALE_BY_SCRIPT } from "./feed.ts";
import { PlayedCall } from "./played-call.tsx";
import { scriptOf } from "./scripts.ts";
import styles from "./simulator.module.css";

/** As many of the newest entries as are shown at first. */
const SHOWN = 60;
/** While a call goes on. */
const LISTEN_EVERY_MS = 1_000;

/** A phone of the simulated network: what it had, what it may say, and its behavior. */
export function Handset({ phone, mayAct, remove }: { phone: string; mayAct: boolean; remove: () => void }) {
  const args = { params: { phone_number: phone } };
  const [isCalled, setCalled] = useState(false);
  const answer = useAnswer(
    "GET /v1/simulator/handsets/:phone_number",
    args,
    isCalled ? { refetchIntervalMs: LISTEN_EVERY_MS } : {},
  );
  // Words of a call are no events.
  const isOngoing = answer.data?.calls.some(({ outcome }) => outcome === "ongoing") ?? false;
  if (isOngoing !== isCalled) setCalled(isOngoing);
  const play = useSend("PUT /v1/simulator/handsets/:phone_number", STALE_BY_SCRIPT);
  const isPlayed = answer.data?.behavior === "manual";
  const entries = useMemo(() => (answer.data ? feedOf(answer.data) : []), [answer.data]);
  const [isTelling, setTelling] = useState(false);
  const clipboard = useClipboard();
  const script = scriptOf(phone);
  const name = formatPhone(phone);
  return (
    <Paper component="section" aria-label={`Phone ${name}`} className={styles.phone}>
      <Group className={styles.head} justify="space-between" wrap="nowrap" gap="xs">
        <div style={{ minWidth: 0 }}>
          <Title order={2}>{name}</Title>
          <Text size="xs" c="dimmed" truncate title={script?.about}>
            {isPlayed ? "You take its calls" : (script?.title ?? "Takes texts, answers calls")}
          </Text>
        </div>
        <Group gap={2} wrap="nowrap">
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={`More about ${name}`}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {mayAct && (
                <Menu.Item
                  leftSection={<IconPhoneCall size={14} />}
                  onClick={() => play.mutate({ ...args, body: { behavior: "manual" } })}
                >
                  Take its calls yourself
                </Menu.Item>
              )}
              {mayAct && (
                <Menu.Item leftSection={<IconAdjustments size={14} />} onClick={() => setTelling(true)}>
                  What it does
                </Menu.Item>
              )}
              <Menu.Item
                leftSection={<IconMessages size={14} />}
                component={Link}
                to={`/conversations?phone_number=${encodeURIComponent(phone)}`}
              >
                Its conversations
              </Menu.Item>
              <Menu.Item
                leftSection={<IconCopy size={14} />}
                onClick={() => clipboard.copy(curl("GET /v1/simulator/handsets/:phone_number", args))}
              >
                Copy as cURL
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <Tooltip label="Put away">
            <ActionIcon variant="subtle" color="gray" onClick={remove} aria-label={`Put ${name} away`}>
              <IconX size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {answer.error && answer.data === undefined ? (
        <div className={styles.feed}>
          <ErrorState error={answer.error} retry={() => void answer.refetch()} />
        </div>
      ) : answer.isPending ? (
        <div className={styles.feed}>
          <Skeleton h={32} w="60%" />
        </div>
      ) : (
        <Feed entries={entries} name={name} phone={phone} mayAct={mayAct} />
      )}
      <Composer phone={phone} suggested={otherEnd(entries)} mayAct={mayAct} />
      <Behavior phone={phone} isOpen={isTelling} close={() => setTelling(false)} />
    </Paper>
  );
}

/** Texts and calls, the newest below, where it stays. */
function Feed({
  entries,
  name,
  phone,
  mayAct,
}: {
  entries: readonly Entry[];
  name: string;
  phone: string;
  mayAct: boolean;
}) {
  const [shown, setShown] = useState(SHOWN);
  const box = useRef<HTMLDivElement>(null);
  const newest = entries.at(-1);
  const last = newest?.kind === "call" ? `${newest.key} ${newest.call.stage} ${newest.call.said.length}` : newest?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what came last is scrolled to.
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last]);
  if (entries.length === 0) {
    return (
      <div className={styles.feed}>
        <Text size="sm" c="dimmed" ta="center" m="auto">
          Nothing has arrived here yet. Text one of your numbers below, or send this number a campaign.
        </Text>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
    <div className={styles.feed} ref={box} role="log" aria-label={`What ${name} had`} tabIndex={0}>
      {entries.length > shown && (
        <Button size="compact-xs" variant="subtle" onClick={() => setShown(shown + SHOWN)}>
          Show earlier
        </Button>
      )}
      {entries.slice(-shown).map((entry) =>
        entry.kind === "call" ? (
          <CallEntry key={entry.key} call={entry.call} phone={phone} mayAct={mayAct} />
        ) : (
          <div
            key={entry.key}
            className={styles.bubble}
            data-own={entry.text.direction === "from_handset" || undefined}
          >
            <Text size="sm" className={styles.words}>
              {entry.text.text}
            </Text>
            <Text size="xs" c="dimmed">
              {entry.text.direction === "to_handset" && `from ${formatPhone(entry.text.from_number)}, `}
              {moment(entry.at)}
            </Text>
          </div>
        ),
      )}
    </div>
  );
}

function CallEntry({ call, phone, mayAct }: { call: HandsetCall; phone: string; mayAct: boolean }) {
  const isOurs = call.direction === "to_handset";
  const other = formatPhone(isOurs ? call.from_number : call.to_number);
  return (
    <div className={styles.call}>
      <Text size="sm" fw={550}>
        {isOurs ? `Call from ${other}` : `Called ${other}`}
      </Text>
      <Text size="xs" c="dimmed">
        {call.stage === "ringing" ? "It rings" : outcomeWord(call.outcome)}
        {call.call_duration_ms > 0 && `, ${callLength(call.call_duration_ms)}`}, {moment(call.at)}
      </Text>
      {call.stage !== null && <PlayedCall call={call} phone={phone} mayAct={mayAct} />}
      {call.heard.length > 0 && (
        <details>
          <Text component="summary" size="xs">
            What it heard
          </Text>
          {call.heard.map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added at the end.
            <Text key={i} size="sm" className={styles.words}>
              {line}
            </Text>
          ))}
        </details>
      )}
    </div>
  );
}

/** The simulator's own time may be ahead of the real one, so that "ago" would mislead. */
const moment = (at: string): string =>
  new Date(at).toLocaleString("en", { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
