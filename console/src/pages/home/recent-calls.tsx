import type { Item } from "#api/operations.ts";
import type { Column } from "#parts/show/data-table.tsx";
import { callLength } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { reasonOf } from "#parts/show/words.ts";

export const RECENT_CALLS: readonly Column<Item<"GET /v1/voice/calls">>[] = [
  { key: "number", title: "With", width: "9rem", render: (it) => <PhoneNumber number={otherSide(it)} /> },
  { key: "status", title: "State", width: "8rem", render: (it) => <StatusBadge of="call" state={it.call_status} /> },
  {
    key: "end",
    title: "End",
    isExtra: true,
    render: (it) => (it.disconnection_reason ? reasonOf(it.disconnection_reason) : "–"),
  },
  {
    key: "length",
    title: "Length",
    width: "4rem",
    align: "right",
    render: (it) => callLength(it.call_duration_ms),
  },
  { key: "when", title: "When", width: "8rem", align: "right", render: (it) => <Time at={it.start_timestamp} /> },
];

const otherSide = (it: Item<"GET /v1/voice/calls">): string =>
  it.direction === "inbound" ? it.from_number : it.to_number;
