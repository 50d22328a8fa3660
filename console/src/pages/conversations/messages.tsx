import { Anchor, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { reasonOf, wordOf } from "#parts/show/words.ts";
import styles from "./conversations.module.css";
import { Inspector } from "./inspector.tsx";
import { BAD, type Message, saidIn, timeOf } from "./said.ts";
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

/** The conversation, oldest first; the newest is in sight, and what is pointed at is brought there. */
export function Messages({
  thread,
  marked,
  ...of
}: {
  thread: ThreadData;
  marked: string | undefined;
  agentId: string | undefined;
  version: number | undefined;
  objective: string | null;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [inspected, setInspected] = useState<string>();
  const said = saidIn(thread);
  const last = said.at(-1)?.message_id;
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
      {said.map((it, i) => (
        <div key={it.message_id} className={styles.turn}>
          {(i === 0 || day(timeOf(it)) !== day(timeOf(said[i - 1]!))) && (
            <Text size="xs" c="dimmed" className={styles.day}>
              {day(timeOf(it))}
            </Text>
          )}
          <Bubble it={it} isMarked={it.message_id === marked} inspect={() => setInspected(it.message_id)} />
        </div>
      ))}
      <Inspector thread={thread} messageId={inspected} close={() => setInspected(undefined)} {...of} />
    </div>
  );
}

function Bubble({ it, isMarked, inspect }: { it: Message; isMarked: boolean; inspect: () => void }) {
  const isOurs = it.direction === "outbound";
  const state = wordOf("message", it.state);
  return (
    <div
      className={styles.bubble}
      data-message={it.message_id}
      data-ours={isOurs || undefined}
      data-unsent={BAD.has(it.state) || undefined}
      data-marked={isMarked || undefined}
    >
      <Text size="sm" className={styles.words}>
        {it.text ?? "(The text is gone)"}
      </Text>
      <Text size="xs" c="dimmed" component="div" className={styles.foot}>
        {isOurs && <span>{KINDS[it.kind] ?? it.kind}</span>}
        <span title={exact(timeOf(it))}>{hour(timeOf(it))}</span>
        {isOurs && !FINE.has(it.state) && (
          <span>
            {state.label}
            {it.reason && `: ${reasonOf(it.reason).toLowerCase()}`}
          </span>
        )}
        {it.state === "delivered" && <span>Delivered</span>}
        {it.kind === "reply" && (
          <Anchor component="button" type="button" size="xs" underline="always" onClick={inspect}>
            Why this?
          </Anchor>
        )}
      </Text>
    </div>
  );
}
