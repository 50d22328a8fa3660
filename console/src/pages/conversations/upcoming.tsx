import { Text } from "@mantine/core";
import { reasonOf } from "#parts/show/words.ts";
import styles from "./conversations.module.css";
import { isCancelled, isUpcoming } from "./said.ts";
import type { ThreadData } from "./thread.tsx";
import { day, exact, hour } from "./times.ts";

/** What is still to leave: follow-ups, an answer on its way, and a call that was agreed. */
export function Upcoming({ thread }: { thread: ThreadData }) {
  const waiting = thread.messages.filter(isUpcoming);
  const { call } = thread;
  const isCallAhead = call !== null && (call.status === "scheduled" || call.status === "calling");
  const cancelled = thread.messages.filter(isCancelled);
  const count = waiting.length + (isCallAhead ? 1 : 0);
  return (
    <>
      {count > 0 && <Ahead thread={thread} waiting={waiting} isCallAhead={isCallAhead} count={count} />}
      {cancelled.length > 0 && (
        <details className={styles.upcoming}>
          <Text component="summary" size="xs" fw={550}>
            Cancelled follow-ups: {cancelled.length}
          </Text>
          {cancelled.map(({ message_id, text, reason }) => (
            <div key={message_id} className={styles.waiting}>
              {reason && (
                <Text size="xs" c="dimmed">
                  {reasonOf(reason)}
                </Text>
              )}
              <Text size="xs" className={styles.words}>
                {text ?? "It was not written yet."}
              </Text>
            </div>
          ))}
        </details>
      )}
    </>
  );
}

function Ahead({
  thread: { call },
  waiting,
  isCallAhead,
  count,
}: {
  thread: ThreadData;
  waiting: ThreadData["messages"];
  isCallAhead: boolean;
  count: number;
}) {
  return (
    <details className={styles.upcoming}>
      <Text component="summary" size="xs" fw={550}>
        Still to come: {count}
      </Text>
      {isCallAhead && call && (
        <Text size="xs" py={2}>
          {call.purpose === "transfer" ? "A call, since the contact asked for one" : "A call that was agreed"}
          {call.status === "calling" ? ": ringing now" : call.scheduled_for && `: ${when(call.scheduled_for)}`}
        </Text>
      )}
      {waiting.map((message) => (
        <div key={message.message_id} className={styles.waiting}>
          <Text size="xs" c="dimmed" title={message.scheduled_for ? exact(message.scheduled_for) : undefined}>
            {message.kind === "drip" ? "Follow-up" : message.kind === "start" ? "First text" : "Answer"}
            {message.scheduled_for ? `, ${when(message.scheduled_for)}` : ""}
            {message.reason && `. ${reasonOf(message.reason)}`}
          </Text>
          <Text size="xs" className={styles.words}>
            {message.text ?? "Written when it leaves."}
          </Text>
        </div>
      ))}
    </details>
  );
}

const when = (at: string): string => `${day(at)}, ${hour(at)}`;
