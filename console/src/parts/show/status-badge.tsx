import { Badge, type BadgeProps } from "@mantine/core";
import { type Thing, wordOf } from "./words.ts";

/** The state of a campaign, a recipient, a message, a call, ... in plain words. */
export function StatusBadge({ of, state, ...props }: BadgeProps & { of: Thing; state: string }) {
  const { label, tone } = wordOf(of, state);
  return (
    <Badge className="parley-tone" data-tone={tone} {...props}>
      {label}
    </Badge>
  );
}
