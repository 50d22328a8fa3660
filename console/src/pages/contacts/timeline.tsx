import { Anchor, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Item } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { fieldsOf } from "#parts/form/contact-fields.ts";
import { IconMessage2, IconPhone } from "#parts/icons/tabler.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { CallBadge } from "#parts/show/call-badge.tsx";
import { callLength } from "#parts/show/figures.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { reasonOf, spelled } from "#parts/show/words.ts";
import type { Lead } from "./contact-drawer.tsx";
import styles from "./contacts.module.css";

type Entry = Item<"GET /v1/contacts/leads/:lead_id/timeline">;

const KINDS: Readonly<Record<string, string>> = {
  start: "First text",
  drip: "Follow-up",
  reply: "The agent",
  human: "A person here",
  confirmation: "Confirmation",
  help: "Help",
  inbound: "The contact",
};

/** Every text and call with a contact, the newest first. */
export function Timeline({ lead }: { lead: Lead }) {
  const zone = fieldsOf(lead, "time_zone");
  const entries = usePages("GET /v1/contacts/leads/:lead_id/timeline", "entries", {
    params: { lead_id: lead.unique_id },
  });
  if (entries.error && entries.rows.length === 0) {
    return <ErrorState error={entries.error} retry={() => void entries.refetch()} />;
  }
  if (entries.isPending) return <Skeleton h={160} />;
  if (entries.rows.length === 0) {
    return <EmptyState title="Nothing yet" text="Every text and call with this contact shows up here." />;
  }
  return (
    <Stack gap="md">
      <ol className={styles.timeline} aria-label="Texts and calls">
        {entries.rows.map((entry) => (
          <TimelineItem key={entry.id} entry={entry} zone={zone} />
        ))}
      </ol>
      {entries.hasNextPage && (
        <Button variant="default" loading={entries.isFetchingNextPage} onClick={() => void entries.fetchNextPage()}>
          Show earlier ones
        </Button>
      )}
    </Stack>
  );
}

function TimelineItem({ entry, zone }: { entry: Entry; zone: string | undefined }) {
  const isText = entry.channel === "sms";
  const to = isText
    ? entry.thread_id && `/conversations/${encodeURIComponent(entry.thread_id)}`
    : `/calls/${encodeURIComponent(entry.id)}`;
  const Icon = isText ? IconMessage2 : IconPhone;
  return (
    <li className={styles.entry} data-inbound={entry.direction === "inbound" || undefined}>
      <Group gap="sm" justify="space-between" wrap="nowrap" align="flex-start">
        <Group gap={6} wrap="wrap">
          <Icon size={15} aria-hidden />
          <Text size="sm" fw={550}>
            {isText ? (KINDS[entry.kind] ?? spelled(entry.kind)) : entry.direction === "inbound" ? "Called us" : "Call"}
          </Text>
          {isText ? (
            <StatusBadge of="message" state={entry.status} />
          ) : (
            <CallBadge call={{ call_status: entry.status, call_result: entry.call_result }} />
          )}
        </Group>
        <Text size="xs" c="dimmed">
          <Time at={entry.at} zone={zone ?? null} />
        </Text>
      </Group>
      {(entry.text || (isText && entry.text === "")) && (
        <Text size="sm" className={styles.text}>
          {entry.text || (entry.media_count > 1 ? `${entry.media_count} pictures or files` : "A picture or file")}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {[
          entry.call_duration_ms ? callLength(entry.call_duration_ms) : undefined,
          entry.reason ? reasonOf(entry.reason) : undefined,
          entry.text && entry.media_count > 0
            ? `With ${entry.media_count === 1 ? "a picture or file" : `${entry.media_count} pictures or files`}`
            : undefined,
          entry.campaign_name ?? entry.campaign_id ?? undefined,
        ]
          .filter((part) => part !== undefined)
          .join(" · ")}
        {to && (
          <>
            {" "}
            <Anchor component={Link} to={to} size="xs" underline="always">
              {isText ? "Open the conversation" : "Open the call"}
            </Anchor>
          </>
        )}
      </Text>
    </li>
  );
}
