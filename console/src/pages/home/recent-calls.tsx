import type { Item } from "#api/operations.ts";
import { CallBadge } from "#parts/show/call-badge.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { callLength } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
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
    key: "result",
    title: "Outcome",
    width: "9rem",
    render: (call) => <CallBadge call={call} />,
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
