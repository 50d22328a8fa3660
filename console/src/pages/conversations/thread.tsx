import { ActionIcon, Anchor, Group, Skeleton, Text, Title, Tooltip } from "@mantine/core";
import { Link } from "react-router";
import type { Answer } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { contactName } from "#parts/form/contact-fields.ts";
import { IconArrowLeft, IconInfoCircle } from "#parts/icons/tabler.ts";
import { ErrorState } from "#parts/page/error-state.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { reasonOf } from "#parts/show/words.ts";
import { AgentSwitch } from "./agent-switch.tsx";
import { Assignee } from "./assignee.tsx";
import styles from "./conversations.module.css";
import { Messages } from "./messages.tsx";
import { NeedsPerson } from "./needs-person.tsx";
import { ThreadMenu } from "./thread-menu.tsx";
import { Upcoming } from "./upcoming.tsx";
import { useReading } from "./use-reading.ts";
import { Waiting } from "./waiting.tsx";
import { Write } from "./write.tsx";

export type ThreadData = Answer<"GET /v1/sms/threads/:thread_id">["thread"];

/** One conversation, as it goes, and what a person can do in it. */
export function Thread({
  threadId,
  back,
  pointedAt,
  isAbout,
  toggleAbout,
}: {
  threadId: string;
  back: string;
  pointedAt: string | undefined;
  isAbout: boolean;
  toggleAbout: () => void;
}) {
  const answer = useAnswer("GET /v1/sms/threads/:thread_id", { params: { thread_id: threadId } });
  const thread = answer.data?.thread;
  useReading(thread);
  const lead = useAnswer("GET /v1/contacts/leads/:lead_id", thread && { params: { lead_id: thread.lead_id } }).data
    ?.lead;
  const campaign = useAnswer(
    "GET /v1/campaigns/:campaign_id",
    thread && { params: { campaign_id: thread.campaign_id } },
  ).data?.campaign;
  const mayAct = useCan("send", { byAgents: true });
  const name = lead && contactName(lead);
  return (
    <section className={styles.thread} aria-label="Conversation">
      <div className={styles.head}>
        <ActionIcon
          component={Link}
          to={back}
          variant="subtle"
          color="gray"
          className={styles.back}
          aria-label="Back to the list"
        >
          <IconArrowLeft size={18} />
        </ActionIcon>
        <div className={styles.who}>
          <Title order={2} lineClamp={1}>
            {name || (thread ? formatPhone(thread.phone_number) : "Conversation")}
          </Title>
          {thread && (
            <Group gap="xs" wrap="nowrap">
              {/* One state alone: somebody is waited for, whatever the conversation had come to before. */}
              {thread.person_wanted_at === null ? (
                <StatusBadge of="recipient" state={thread.status} size="sm" />
              ) : (
                <NeedsPerson />
              )}
              <Text size="xs" c="dimmed" truncate>
                {name ? `${formatPhone(thread.phone_number)}, ` : ""}
                <Anchor
                  component={Link}
                  to={`/sms-campaigns/${encodeURIComponent(thread.campaign_id)}`}
                  size="xs"
                  underline="always"
                >
                  {campaign?.campaign_name ?? thread.campaign_id}
                </Anchor>
              </Text>
            </Group>
          )}
        </div>
        {thread && <Assignee thread={thread} />}
        {thread && <AgentSwitch thread={thread} mayAct={mayAct} />}
        {thread && <ThreadMenu thread={thread} campaign={campaign} lead={lead} back={back} />}
        <Tooltip label="Contact and findings">
          <ActionIcon
            variant={isAbout ? "light" : "subtle"}
            color="gray"
            className={styles.info}
            aria-label="Contact and findings"
            aria-pressed={isAbout}
            onClick={toggleAbout}
          >
            <IconInfoCircle size={18} />
          </ActionIcon>
        </Tooltip>
      </div>
      {answer.error && thread === undefined ? (
        <div className={styles.pad}>
          <ErrorState error={answer.error} retry={() => void answer.refetch()} />
        </div>
      ) : thread === undefined ? (
        <div className={styles.pad}>
          <Skeleton h={40} w="55%" mb="md" />
          <Skeleton h={40} w="45%" ml="auto" />
        </div>
      ) : (
        <>
          <Messages
            thread={thread}
            pointedAt={pointedAt}
            agentId={campaign?.sms_agent_id}
            version={campaign?.agent_version}
            objective={campaign?.objective ?? null}
          />
          {thread.reason !== null && thread.status !== "replied" && thread.status !== "completed" && (
            <Text size="xs" c="dimmed" px="md" py={4}>
              {reasonOf(thread.reason)}.
            </Text>
          )}
          <Waiting thread={thread} />
          <Upcoming thread={thread} />
          <Write thread={thread} mayAct={mayAct} />
        </>
      )}
    </section>
  );
}
