import { Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Names and values of one thing, in two columns; one above the other where there is no room. */
export function Fields({
  items,
}: {
  items: readonly (readonly [name: string, value: ReactNode] | undefined | false)[];
}) {
  return (
    <dl className="parley-fields">
      {items.map((item) => {
        if (!item) return null;
        const [name, value] = item;
        return (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm">
              {value ?? "–"}
            </Text>
          </div>
        );
      })}
    </dl>
  );
}
