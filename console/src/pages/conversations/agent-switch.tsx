import { Switch, Tooltip } from "@mantine/core";
import { messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import type { ThreadData } from "./thread.tsx";

const STALE = ["GET /v1/sms/threads/:thread_id", "GET /v1/sms/threads"] as const;

/** On: the agent answers. Off: a person has the conversation. */
export function AgentSwitch({ thread, mayAct }: { thread: ThreadData; mayAct: boolean }) {
  const pause = useSend("POST /v1/sms/threads/:thread_id/pause-agent", STALE);
  const resume = useSend("POST /v1/sms/threads/:thread_id/resume-agent", STALE);
  const params = { thread_id: thread.thread_id };
  const isOver = thread.opted_out;
  const isBusy = pause.isPending || resume.isPending;
  const why = !mayAct
    ? "Your permission does not include sending."
    : isOver
      ? "The contact has opted out: nobody texts any more."
      : thread.agent_awake
        ? "The agent answers. Turn it off to take over; follow-ups still leave."
        : "You have the conversation. Turn it on to hand it back: what waits is answered.";
  const error = pause.error ?? resume.error;
  return (
    <Tooltip label={error ? messageOf(error) : why} multiline maw={280}>
      <div>
        <Switch
          label="Agent"
          labelPosition="left"
          checked={thread.agent_awake && !isOver}
          disabled={!mayAct || isOver || isBusy}
          onChange={() => (thread.agent_awake ? pause : resume).mutate({ params })}
        />
      </div>
    </Tooltip>
  );
}
