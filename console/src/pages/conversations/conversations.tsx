import { Text, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { useLocation, useParams } from "react-router";
import { FullPage } from "#parts/page/full-page.tsx";
import { About } from "./about.tsx";
import styles from "./conversations.module.css";
import { Thread } from "./thread.tsx";
import { ThreadList } from "./thread-list.tsx";

/** Three panes: the conversations, the one that is open, and whom it is with. On a telephone one at a time. */
export function Component() {
  const { thread_id } = useParams();
  const [isAbout, setAbout] = useState(false);
  const pane = thread_id === undefined ? "list" : isAbout ? "about" : "thread";
  return (
    <FullPage>
      {/* On a telephone the list, and its title, give way to what is open. */}
      <VisuallyHidden component="h1">Conversations</VisuallyHidden>
      <div className={styles.panes} data-pane={pane}>
        <ThreadList openId={thread_id} />
        {thread_id === undefined ? (
          <div className={styles.thread}>
            <Text c="dimmed" m="auto" p="xl" ta="center">
              Choose a conversation to read and answer it.
            </Text>
          </div>
        ) : (
          <Open key={thread_id} threadId={thread_id} isAbout={isAbout} setAbout={setAbout} />
        )}
      </div>
    </FullPage>
  );
}

function Open({
  threadId,
  isAbout,
  setAbout,
}: {
  threadId: string;
  isAbout: boolean;
  setAbout: (isAbout: boolean) => void;
}) {
  const { search } = useLocation();
  /** The message that is pointed at, as evidence. */
  const [pointedAt, pointAt] = useState<string>();
  return (
    <>
      <Thread
        threadId={threadId}
        back={`/conversations${search}`}
        pointedAt={pointedAt}
        isAbout={isAbout}
        toggleAbout={() => setAbout(!isAbout)}
      />
      <About
        threadId={threadId}
        back={() => setAbout(false)}
        show={(messageId) => {
          pointAt(messageId);
          setAbout(false);
        }}
      />
    </>
  );
}
