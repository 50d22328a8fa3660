import { Button, Menu, Tooltip } from "@mantine/core";
import { useState } from "react";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan, useOrganization, useSession } from "#api/session.ts";
import { IconUserCircle } from "#parts/icons/tabler.ts";
import styles from "./conversations.module.css";
import type { ThreadData } from "./thread.tsx";

const STALE = ["GET /v1/sms/threads/:thread_id", "GET /v1/sms/threads"] as const;

/** The users whom a conversation can be assigned to besides oneself; none before they are wanted. */
export function useColleagues(areWanted: boolean): readonly { value: string; label: string }[] {
  const { organization_id } = useOrganization();
  const { user } = useSession();
  const params = { org_id: organization_id };
  const { data } = useAnswer(
    "GET /v1/organizations/:org_id/users",
    areWanted ? { params, query: { limit: 100 } } : undefined,
  );
  const others = (data?.users ?? []).filter(({ unique_id }) => unique_id !== user.unique_id);
  return others.map(({ unique_id, name }) => ({ value: unique_id, label: name }));
}

/** Who takes care of the conversation, and a menu that gives it to somebody else. */
export function Assignee({ thread: { thread_id, assignee } }: { thread: ThreadData }) {
  const [isOpen, setOpen] = useState(false);
  const colleagues = useColleagues(isOpen);
  const me = useSession().user.unique_id;
  const mayAssign = useCan("write", { byAgents: true });
  const assign = useSend("POST /v1/sms/threads/:thread_id/assign", STALE);
  const to = (user_id: string | null) => assign.mutate({ params: { thread_id }, body: { user_id } });
  const who = assignee === null ? "Assign" : assignee.user_id === me ? "Me" : (assignee.name ?? "Somebody");
  const hint = assignee === null ? "Nobody takes care of this conversation" : `Assigned to ${who.replace("Me", "you")}`;
  return (
    <Menu position="bottom-end" opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <Tooltip label={hint} disabled={isOpen}>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            className={styles.assignee}
            leftSection={<IconUserCircle size={16} />}
            aria-label={assignee === null ? who : `Assigned to: ${who}`}
            disabled={!mayAssign}
            loading={assign.isPending}
          >
            <span>{who}</span>
          </Button>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Assign to</Menu.Label>
        {assignee?.user_id !== me && <Menu.Item onClick={() => to(me)}>Me</Menu.Item>}
        {colleagues
          .filter(({ value }) => value !== assignee?.user_id)
          .map(({ value, label }) => (
            <Menu.Item key={value} onClick={() => to(value)}>
              {label}
            </Menu.Item>
          ))}
        {assignee !== null && <Menu.Item onClick={() => to(null)}>Nobody</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}
