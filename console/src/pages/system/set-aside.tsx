import { Button, Group, Stack, Text } from "@mantine/core";
import type { Answer } from "#api/operations.ts";
import { useSend } from "#api/query.ts";
import { Time } from "#parts/show/time.tsx";

type Task = Answer<"GET /v1/system">["system"]["set_aside"][number];

const KINDS: Readonly<Record<Task["kind"], string>> = {
  text: "A contact's text was not read; it is in its conversation",
  reply: "A reply of the agent",
  opt_out_judgement: "Whether a text asked us to stop; nothing is sent to its sender until then",
  extraction: "What a conversation came to",
  call_analysis: "What a call came to",
  import_row: "A row of an import was not read; it is among the rows that could not be taken",
  import_file: "The file of an import was not read to its end",
};

/** What held two processes, with what can be done about each. */
export function SetAside({ tasks }: { tasks: readonly Task[] }) {
  const resolve = useSend("POST /v1/system/set-aside/:task_id/resolve", ["GET /v1/system"]);
  const decide = ({ task_id }: Task, action: "retry" | "discard") =>
    resolve.mutate({ params: { task_id }, body: { action } });
  return (
    <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }}>
      {tasks.map((task) => (
        <Group component="li" key={task.task_id} justify="space-between">
          <Text size="sm">
            {KINDS[task.kind]}
            {task.row !== null && ` (row ${task.row} of ${task.import_id})`}. {task.times} processes were blocked, the
            last <Time at={task.set_aside_at} isReal />.
          </Text>
          <Group gap="xs">
            {task.kind !== "text" && task.kind !== "import_file" && (
              <Button variant="default" loading={resolve.isPending} onClick={() => decide(task, "retry")}>
                Try again
              </Button>
            )}
            <Button variant="default" loading={resolve.isPending} onClick={() => decide(task, "discard")}>
              Leave it
            </Button>
          </Group>
        </Group>
      ))}
    </Stack>
  );
}
