import { Anchor, Badge, Button, Group, Skeleton, Text, Title, Tooltip } from "@mantine/core";
import { messageOf } from "#api/error.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { IconRefresh } from "#parts/icons/tabler.ts";
import { spelled, valueWords } from "#parts/show/words.ts";
import styles from "./conversations.module.css";
import type { ThreadData } from "./thread.tsx";
import { exact } from "./times.ts";

/** What the agent found out, each with the words that say so: a click shows the message. */
export function Findings({
  threadId,
  thread,
  show,
}: {
  threadId: string;
  thread: ThreadData | undefined;
  show: (messageId: string) => void;
}) {
  const params = { thread_id: threadId };
  const answer = useAnswer("GET /v1/sms/extractions/:thread_id", { params });
  const rerun = useSend("POST /v1/sms/extractions/:thread_id/rerun", ["GET /v1/sms/extractions/:thread_id"], {
    isShown: true,
  });
  const mayWrite = useCan("write", { byAgents: true });
  const extraction = answer.data?.extraction;
  const fields = Object.entries(extraction?.extracted_fields ?? {});
  return (
    <section aria-label="Findings">
      <Group justify="space-between" mb={4}>
        <Title order={2}>Findings</Title>
        <Tooltip
          label={mayWrite ? "Analyze the whole conversation again" : "Your permission does not include changes."}
        >
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconRefresh size={12} />}
            loading={rerun.isPending}
            disabled={!mayWrite}
            onClick={() => rerun.mutate({ params })}
          >
            Re-analyze
          </Button>
        </Tooltip>
      </Group>
      {rerun.error && (
        <Text size="xs" c="red" role="alert">
          {messageOf(rerun.error)}
        </Text>
      )}
      {answer.error ? (
        <Text size="sm" c="red" role="alert">
          {messageOf(answer.error)}{" "}
          <Anchor component="button" type="button" size="sm" underline="always" onClick={() => void answer.refetch()}>
            Try again
          </Anchor>
        </Text>
      ) : answer.isPending ? (
        <Skeleton h={60} />
      ) : extraction === null || extraction === undefined ? (
        <Text size="sm" c="dimmed">
          Nothing yet. What the contact says is gathered after each answer of the agent.
        </Text>
      ) : (
        <>
          <Group gap={4} mb="xs">
            {(extraction.objective_met || extraction.lead_outcome) && (
              <Badge className="parley-tone" data-tone={extraction.objective_met ? "good" : "plain"} size="sm">
                {extraction.objective_met ? "Goal met" : spelled(extraction.lead_outcome!)}
              </Badge>
            )}
            {extraction.call_scheduled && (
              <Badge className="parley-tone" data-tone="go" size="sm">
                Call agreed
              </Badge>
            )}
            {extraction.call_transferred && (
              <Badge className="parley-tone" data-tone="good" size="sm">
                Called
              </Badge>
            )}
          </Group>
          {fields.length === 0 && (
            <Text size="sm" c="dimmed">
              The contact has said nothing yet of what the agent is to find out.
            </Text>
          )}
          {fields.map(([name, value]) => {
            const evidence = extraction.evidence[name];
            const isHere = evidence && thread?.messages.some(({ message_id }) => message_id === evidence.message_id);
            return (
              <div key={name} className={styles.finding}>
                <Text size="xs" c="dimmed">
                  {spelled(name)}
                </Text>
                <Text size="sm" fw={550} className={styles.words}>
                  {valueWords(value)}
                </Text>
                {evidence && (
                  <Text size="xs" c="dimmed">
                    “{evidence.quote}”{" "}
                    {isHere && (
                      <Anchor
                        component="button"
                        type="button"
                        size="xs"
                        underline="always"
                        onClick={() => show(evidence.message_id)}
                      >
                        Show the message
                      </Anchor>
                    )}
                  </Text>
                )}
              </div>
            );
          })}
          <Text size="xs" c="dimmed" mt="xs" title={exact(extraction.extracted_at)}>
            As of {new Date(extraction.extracted_at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })}
          </Text>
        </>
      )}
    </section>
  );
}
