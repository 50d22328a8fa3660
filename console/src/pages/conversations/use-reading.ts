import { useEffect, useRef } from "react";
import { useSend } from "#api/query.ts";
import type { ThreadData } from "./thread.tsx";

/** Says that one has read a conversation: once it is on the screen, and again with each text that comes while it is. */
export function useReading(thread: ThreadData | undefined): void {
  const { mutate } = useSend("PUT /v1/sms/threads/:thread_id/read", ["GET /v1/sms/threads"], { isShown: true });
  const last = thread?.messages.findLast(({ direction }) => direction === "inbound")?.message_id;
  const said = useRef<string>(undefined);
  const isUnread = thread?.unread === true;
  const id = thread?.thread_id;
  useEffect(() => {
    const read = () => {
      if (!isUnread || id === undefined || said.current === last || document.visibilityState !== "visible") return;
      said.current = last;
      mutate({ params: { thread_id: id }, body: { read: true } });
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => document.removeEventListener("visibilitychange", read);
  }, [isUnread, id, last, mutate]);
}
