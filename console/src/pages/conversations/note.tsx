import { Text } from "@mantine/core";
import styles from "./conversations.module.css";
import type { ThreadData } from "./thread.tsx";
import { exact, hour } from "./times.ts";

export type NoteData = ThreadData["notes"][number];

/** What a person noted for colleagues, or whom the conversation was assigned to. */
export function Note({ note: { kind, text, author, created_at } }: { note: NoteData }) {
  const by = author === null ? "API key" : (author.name ?? "Somebody");
  if (kind === "assigned") {
    return (
      <Text size="xs" c="dimmed" className={styles.day} title={exact(created_at)}>
        {by} {text === "" ? "unassigned this" : `assigned this to ${text}`}, {hour(created_at)}
      </Text>
    );
  }
  return (
    <div className={styles.note}>
      <Text size="sm" className={styles.words}>
        {text}
      </Text>
      <Text size="xs" component="div" className={styles.foot}>
        <span>Note by {by}</span>
        <span title={exact(created_at)}>{hour(created_at)}</span>
        <span>Not sent</span>
      </Text>
    </div>
  );
}
