import { Badge } from "@mantine/core";
import { StatusBadge } from "./status-badge.tsx";
import { reasonOf } from "./words.ts";

type Call = {
  call_result: string | null;
  call_status: string;
  disconnection_reason?: string | null;
  call_successful?: boolean;
  scheduled_for?: string | null;
  waiting_because?: string | null;
};

/** What a call came to; while it goes on, how far it is. Why it ended is its tooltip. Of a single call that was never dialled: why. */
export function CallBadge({ call }: { call: Call }) {
  const { call_result, call_status, disconnection_reason, call_successful = false } = call;
  const { scheduled_for: due = null, waiting_because: because = null } = call;
  if (call_result !== null)
    return (
      <span title={disconnection_reason ? reasonOf(disconnection_reason) : undefined}>
        <StatusBadge of="result" state={call_result === "talked" && call_successful ? "goal_met" : call_result} />
      </span>
    );
  if (call_status === "not_connected" && because !== null)
    return (
      <Badge className="parley-tone" data-tone="bad">
        {reasonOf(because)}
      </Badge>
    );
  // A single call has its id before anybody has been called.
  const waits = due !== null || because !== null;
  return waits ? <StatusBadge of="recipient" state="scheduled" /> : <StatusBadge of="call" state={call_status} />;
}
