import { Anchor, Highlight, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { reasonOf, wordOf } from "#parts/show/words.ts";
import styles from "./conversations.module.css";
import { Inspector } from "./inspector.tsx";
import { MediaOf } from "./media.tsx";
import { Note } from "./note.tsx";
import { BAD, type Message, newestWith, timelineOf, timeOf } from "./said.ts";
import type { ThreadData } from "./thread.tsx";
import { day, exact, hour } from "./times.ts";

const KINDS: Readonly<Record<string, string>> = {
  start: "First text",
  drip: "Follow-up",
  reply: "Agent",
  human: "A person",
  confirmation: "Confirmation",
  help: "Help text",
};
/** Arrived, or as good as: nothing more is said of it. */
const FINE = new Set(["sent", "delivered", "accepted", "received"]);

/** The conversation, oldest first; the newest is in sight, and what is pointed at, or was searched for in the list, is brought there. */
export function Messages({
  thread,
  pointedAt,
  ...of
}: {
  thread: ThreadData;
  pointedAt: string | undefined;
  agentId: string | undefined;
  version: number | undefined;
  objective: string | null;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [inspected, setInspected] = useState<string>();
  const said = timelineOf(thread);
  const last = said.at(-1)?.id;
  const [params] = useSearchParams();
  const words = (params.get("search") ?? "").trim();
  const marked = pointedAt ?? newestWith(said, words);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what came last is scrolled to.
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last]);
  useEffect(() => {
    if (marked === undefined) return;
    box.current?.querySelector(`[data-message="${marked}"]`)?.scrollIntoView({ block: "center" });
  }, [marked]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
    <div className={styles.messages} ref={box} role="log" aria-label="Messages" tabIndex={0}>
      {said.length === 0 && (
        <Text size="sm" c="dimmed" m="auto">
          Nothing has been said yet.
        </Text>
      )}
      {said.map(({ id, at, message, note }, i) => (
        <div key={id} className={styles.turn}>
          {(i === 0 || day(at) !== day(said[i - 1]!.at)) && (
            <Text size="xs" c="dimmed" className={styles.day}>
              {day(at)}
            </Text>
          )}
          {note && <Note note={note} />}
          {message && (
            <Bubble message={message} words={words} isMarked={id === marked} inspect={() => setInspected(id)} />
          )}
        </div>
      ))}
      <Inspector thread={thread} messageId={inspected} close={() => setInspected(undefined)} {...of} />
    </div>
  );
}

function Bubble({
  message,
  words,
  isMarked,
  inspect,
}: {
  message: Message;
  words: string;
  isMarked: boolean;
  inspect: () => void;
}) {
  const isOurs = message.direction === "outbound";
  const state = wordOf("message", message.status);
  return (
    <div
      className={styles.bubble}
      data-message={message.message_id}
      data-ours={isOurs || undefined}
      data-unsent={BAD.has(message.status) || undefined}
      data-marked={isMarked || undefined}
    >
      <MediaOf message={message} />
      {(message.text !== "" || message.media.length === 0) && (
        <Highlight size="sm" className={styles.words} highlight={words}>
          {message.text ?? "(The text is gone)"}
        </Highlight>
      )}
      <Text size="xs" c="dimmed" component="div" className={styles.foot}>
        {isOurs && <span>{KINDS[message.kind] ?? message.kind}</span>}
        <span title={exact(timeOf(message))}>{hour(timeOf(message))}</span>
        {isOurs && !FINE.has(message.status) && (
          <span>
            {state.label}
            {message.reason && `: ${reasonOf(message.reason).toLowerCase()}`}
          </span>
        )}
        {message.status === "delivered" && <span>Delivered</span>}
        {message.kind === "reply" && (
          <Anchor component="button" type="button" size="xs" underline="always" onClick={inspect}>
            Why this?
          </Anchor>
        )}
      </Text>
    </div>
  );
}
