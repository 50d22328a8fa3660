import { Paper, Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** One figure with its name; `note` is what it is compared with. Without a value it is still being asked. */
export function StatTile({ label, value, note }: { label: string; value: ReactNode | undefined; note?: ReactNode }) {
  return (
    <Paper p="md">
      <Text size="xs" c="dimmed" fw={550}>
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton h={26} w={64} mt={4} />
      ) : (
        <Text fz="1.375rem" fw={650} lh={1.25} mt={2} lts="-0.01em">
          {value}
        </Text>
      )}
      {note && (
        <Text size="xs" c="dimmed" mt={2}>
          {note}
        </Text>
      )}
    </Paper>
  );
}
