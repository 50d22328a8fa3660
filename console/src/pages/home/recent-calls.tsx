import type { Item } from "#api/operations.ts";
import type { Column } from "#parts/show/data-table.tsx";
import { callLength } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { reasonOf } from "#parts/show/words.ts";

export const RECENT_CALLS: readonly Column<Item<"GET /v1/voice/calls">>[] = [
  {
    key: "contact",
    title: "Contact",
    width: "1.4fr",
    render: (call) => call.contact_name ?? <PhoneNumber number={otherSide(call)} />,
  },
  {
    key: "status",
    title: "State",
    width: "8rem",
    render: (call) => <StatusBadge of="call" state={call.call_status} />,
  },
  {
    key: "end",
    title: "End",
    isExtra: true,
    render: (call) => (call.disconnection_reason ? reasonOf(call.disconnection_reason) : "–"),
  },
  {
    key: "length",
    title: "Length",
    width: "4rem",
    align: "right",
    render: (call) => callLength(call.call_duration_ms),
  },
  { key: "when", title: "When", width: "8rem", align: "right", render: (call) => <Time at={call.start_timestamp} /> },
];

const otherSide = (call: Item<"GET /v1/voice/calls">): string =>
  call.direction === "inbound" ? call.from_number : call.to_number;
