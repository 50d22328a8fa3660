import { Group, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { useLiveState } from "#api/live.ts";

/** Whether what is on the screen follows what happens. */
export function LiveBadge() {
  const isLive = useLiveState() === "live";
  return (
    <Tooltip label={isLive ? "What you see is up to date as it happens" : "The connection is being opened again"}>
      <Group gap={6} wrap="nowrap" role="status">
        <span className={isLive ? "parley-dot" : "parley-dot parley-dot-waiting"} aria-hidden />
        <Text size="xs" c="dimmed" visibleFrom="sm" aria-hidden>
          {isLive ? "Up to date" : "Reconnecting"}
        </Text>
        <VisuallyHidden>{isLive ? "Up to date" : "Reconnecting"}</VisuallyHidden>
      </Group>
    </Tooltip>
  );
}
