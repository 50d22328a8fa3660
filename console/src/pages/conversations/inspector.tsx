import { Alert, Code, Modal, Skeleton, Stack, Text, Title } from "@mantine/core";
import { usePages } from "#api/query.ts";
import { Fields } from "#parts/show/fields.tsx";
import { reasonOf, spelled } from "#parts/show/words.ts";
import styles from "./conversations.module.css";
import { isUnsaid, saidIn } from "./said.ts";
import type { ThreadData } from "./thread.tsx";
import { day, hour } from "./times.ts";

/** As many of the latest texts as an agent is given. */
const REMEMBERED = 60;

/** What the agent was given for one of its answers, as far as that is kept. */
export function Inspector({
  thread,
  messageId,
  close,
  agentId,
  version,
  objective,
}: {
  thread: ThreadData;
  messageId: string | undefined;
  close: () => void;
  agentId: string | undefined;
  version: number | undefined;
  objective: string | null;
}) {
  const isOpen = messageId !== undefined;
  const versions = usePages(
    "GET /v1/agents/:agent_id/versions",
    "versions",
    isOpen && agentId !== undefined ? { params: { agent_id: agentId } } : undefined,
  );
  const agent = versions.rows.find((agentVersion) => agentVersion.version === version);
  const said = saidIn(thread);
  const at = said.findIndex((message) => message.message_id === messageId);
  const answer = said[at];
  const before = said
    .slice(0, Math.max(0, at))
    .filter((message) => !isUnsaid(message))
    .slice(-REMEMBERED);
  const heard = before.findLast(({ direction }) => direction === "inbound");
  return (
    <Modal opened={isOpen} onClose={close} title="What this answer came from" size="lg">
      {answer && (
        <Stack gap="md">
          <Fields
            items={[
              ["Answer", answer.text ?? "–"],
              ["To", heard?.text ?? "–"],
              ["Written", `${day(answer.created_at)}, ${hour(answer.created_at)}`],
              answer.reason !== null && ["Not sent because", reasonOf(answer.reason)],
              ["Agent", agent ? `${agent.agent_name}, version ${agent.version}` : version && `Version ${version}`],
              ["Goal", objective ?? "None besides the prompt"],
              ["Texts it was given", `${before.length} before this answer, word by word`],
              thread.outcome !== null && ["What the conversation came to", spelled(thread.outcome)],
              thread.transfer !== null && ["It asked for a call", spelled(thread.transfer.status)],
            ]}
          />
          <div>
            <Title order={3} mb={4}>
              Prompt of that version
            </Title>
            {agent ? (
              <Code block className={styles.prompt}>
                {agent.prompt}
              </Code>
            ) : versions.isPending && agentId !== undefined ? (
              <Skeleton h={80} />
            ) : (
              <Text size="sm" c="dimmed">
                The agent has been deleted, and its prompt with it.
              </Text>
            )}
          </div>
          <Alert color="gray" py="sm">
            <Text size="sm">
              Besides these the agent is given the contact's fields, what was found out so far, and the time. A model's
              own reasoning is not kept, nor is the exact wording of each request: this is what it was made of. To see a
              whole turn with its prompt and tokens, try it in the playground.
            </Text>
          </Alert>
        </Stack>
      )}
    </Modal>
  );
}
