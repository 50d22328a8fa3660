import { ActionIcon, Menu } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import type { Answer } from "#api/operations.ts";
import { useSend } from "#api/query.ts";
import { useCan, useSession } from "#api/session.ts";
import { curl } from "#parts/form/copy-as-curl.tsx";
import {
  IconCopy,
  IconDeviceMobile,
  IconDots,
  IconHandStop,
  IconMail,
  IconPhoneOutgoing,
} from "#parts/icons/tabler.ts";
import { CallModal } from "./call-modal.tsx";
import { StopModal } from "./stop-modal.tsx";
import type { ThreadData } from "./thread.tsx";

export type Campaign = Answer<"GET /v1/campaigns/:campaign_id">["campaign"];
export type Lead = Answer<"GET /v1/contacts/leads/:lead_id">["lead"];

/** What is seldom done in a conversation. */
export function ThreadMenu({
  thread,
  campaign,
  lead,
  back,
}: {
  back: string;
  thread: ThreadData;
  campaign: Campaign | undefined;
  lead: Lead | undefined;
}) {
  const [shown, setShown] = useState<"call" | "stop">();
  const maySend = useCan("send", { byAgents: true });
  const mayWrite = useCan("write", { byAgents: true });
  const { mode } = useSession();
  const seesAll = useCan("read", { tenantWide: true });
  const navigate = useNavigate();
  const mark = useSend("PUT /v1/sms/threads/:thread_id/read", ["GET /v1/sms/threads"]);
  const params = { thread_id: thread.thread_id };
  const clipboard = useClipboard();
  const isOver = thread.opted_out;
  const close = () => setShown(undefined);
  const key = "GET /v1/sms/threads/:thread_id";
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label="More actions">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {maySend && (
            <Menu.Item
              leftSection={<IconPhoneOutgoing size={14} />}
              disabled={isOver || campaign === undefined}
              onClick={() => setShown("call")}
            >
              Have an agent call
            </Menu.Item>
          )}
          {mayWrite && (
            <Menu.Item leftSection={<IconHandStop size={14} />} disabled={isOver} onClick={() => setShown("stop")}>
              Never contact again
            </Menu.Item>
          )}
          {thread.messages.some(({ direction }) => direction === "inbound") && (
            <Menu.Item
              leftSection={<IconMail size={14} />}
              onClick={() => mark.mutate({ params, body: { read: false } }, { onSuccess: () => void navigate(back) })}
            >
              Mark as unread
            </Menu.Item>
          )}
          {mode === "test" && seesAll && (
            <Menu.Item
              leftSection={<IconDeviceMobile size={14} />}
              component={Link}
              to={`/simulator?phones=${encodeURIComponent(thread.phone_number)}`}
            >
              Open this phone in the simulator
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => clipboard.copy(curl(key, { params }))}>
            Copy as cURL
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {campaign && (
        <CallModal thread={thread} campaign={campaign} lead={lead} isOpen={shown === "call"} close={close} />
      )}
      <StopModal phone={thread.phone_number} campaign={campaign} isOpen={shown === "stop"} close={close} />
    </>
  );
}
