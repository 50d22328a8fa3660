import { ActionIcon, Group, Select, Switch, Tooltip } from "@mantine/core";
import { useState } from "react";
import { useSend } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { IconChecks } from "#parts/icons/tabler.ts";
import { useColleagues } from "./assignee.tsx";

const OF_ALL = [
  { value: "me", label: "Mine" },
  { value: "none", label: "Unassigned" },
];

type Chosen = { assignee?: string | undefined; unread?: string | undefined };

/** Whose conversations, and whether only what one has yet to read; and a button that has read it all. */
export function InboxFilters({
  chosen,
  choose,
}: {
  chosen: Chosen;
  choose: (filter: { assignee?: string | null; unread?: string | null }) => void;
}) {
  const { organization_id, organization_name } = useOrganization();
  const [isOpen, setOpen] = useState(false);
  const isNamed = chosen.assignee !== undefined && !OF_ALL.some(({ value }) => value === chosen.assignee);
  const colleagues = useColleagues(isOpen || isNamed);
  const readAll = useSend("POST /v1/sms/threads/read", ["GET /v1/sms/threads", "GET /v1/sms/threads/:thread_id"]);
  return (
    <Group gap="xs" wrap="nowrap">
      <Select
        size="xs"
        flex={1}
        aria-label="Assigned to"
        placeholder="Anybody's"
        clearable
        clearButtonProps={{ "aria-label": "Anybody's" }}
        data={[...OF_ALL, ...colleagues]}
        value={chosen.assignee ?? null}
        onChange={(assignee) => choose({ assignee })}
        onDropdownOpen={() => setOpen(true)}
      />
      <Switch
        size="xs"
        label="Unread"
        checked={chosen.unread === "true"}
        onChange={(event) => choose({ unread: event.currentTarget.checked ? "true" : null })}
      />
      <Tooltip label={`Mark all conversations of ${organization_name} as read, for you`}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Mark all as read"
          loading={readAll.isPending}
          onClick={() => readAll.mutate({ body: { organization_id } })}
        >
          <IconChecks size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
