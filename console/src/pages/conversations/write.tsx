import { ActionIcon, Group, SegmentedControl, Text, Textarea, Tooltip } from "@mantine/core";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { fieldErrors, messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { givenPictures, MOST_PICTURES, PictureAddresses } from "#parts/form/picture-addresses.tsx";
import { IconNote, IconPhoto, IconSend } from "#parts/icons/tabler.ts";
import styles from "./conversations.module.css";
import type { ThreadData } from "./thread.tsx";
import { keepUnsent, type Unsent, unsentOf } from "./unsent.ts";

const STALE = ["GET /v1/sms/threads/:thread_id", "GET /v1/sms/threads"] as const;
/** As long as the API takes. */
const MOST = { text: 1_600, note: 5_000 };
type What = keyof typeof MOST;

/** A person's own text, which takes the conversation over; or a note for colleagues. */
export function Write({ thread, mayAct }: { thread: ThreadData; mayAct: boolean }) {
  const [what, setWhat] = useState<What>("text");
  const { thread_id } = thread;
  const [, redraw] = useState(0);
  const unsent = unsentOf(thread_id);
  const text = unsent[what];
  const send = useSend("POST /v1/sms/threads/:thread_id/messages", STALE, { isShown: true });
  const note = useSend("POST /v1/sms/threads/:thread_id/notes", STALE, { isShown: true });
  const mayNote = useCan("write", { byAgents: true });
  const isOver = thread.opted_out;
  const isNote = what === "note";
  const sent = isNote ? note : send;
  const isOff = isNote ? !mayNote : !mayAct || isOver;
  const change = (some: Partial<Unsent>) => {
    keepUnsent(thread_id, some);
    redraw((count) => count + 1);
  };
  const urls = isNote ? [] : unsent.pictures;
  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (isOff || text.trim() === "" || sent.isPending) return;
    try {
      const given = givenPictures(urls);
      const media = given.length > 0 ? { media_urls: given } : {};
      await sent.mutateAsync({ params: { thread_id }, body: { text, ...media } });
      // What was typed while it was sent stays.
      const now = unsentOf(thread_id);
      change({
        ...(now[what] === text ? { [what]: "" } : {}),
        ...(!isNote && now.pictures === urls ? { pictures: [] } : {}),
      });
    } catch {
      // Said below, and what was typed stays.
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The Enter that ends a word of an input method is no Send.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  const hint = isNote
    ? "For your colleagues: the contact never gets it, and the agent never sees it."
    : isOver
      ? "The contact has opted out. Nothing more may be sent."
      : !mayAct
        ? "Your permission does not include sending."
        : thread.agent_awake
          ? "Sending takes the conversation over: the agent stops answering until you hand it back."
          : "You have the conversation. Turn the agent on to hand it back.";
  const label = isNote ? "Add the note" : "Send";
  const { media_urls: pictureProblem } = isNote ? {} : fieldErrors(sent.error);
  return (
    <form className={styles.write} onSubmit={(event) => void submit(event)}>
      <PictureAddresses
        urls={urls}
        onChange={(pictures) => change({ pictures })}
        problem={pictureProblem}
        isOff={isOff}
      />
      <Group gap="xs" wrap="nowrap" align="flex-end">
        {mayNote && (
          <SegmentedControl
            size="xs"
            aria-label="What to write"
            data={[
              { value: "text", label: "Text" },
              { value: "note", label: "Note" },
            ]}
            value={what}
            onChange={(value) => setWhat(value === "note" ? "note" : "text")}
          />
        )}
        <Textarea
          aria-label={isNote ? "Your note" : "Your text"}
          placeholder={isNote ? "Write a note" : "Write a text"}
          autosize
          minRows={1}
          maxRows={8}
          maxLength={MOST[what]}
          flex={1}
          value={text}
          onChange={(event) => change({ [what]: event.currentTarget.value })}
          onKeyDown={onKeyDown}
          disabled={isOff}
          error={fieldErrors(sent.error).text}
        />
        {!isNote && (
          <Tooltip label="Attach a picture by its address">
            <ActionIcon
              variant="default"
              size={32}
              aria-label="Attach a picture"
              disabled={isOff || urls.length >= MOST_PICTURES}
              onClick={() => change({ pictures: [...urls, ""] })}
            >
              <IconPhoto size={16} />
            </ActionIcon>
          </Tooltip>
        )}
        <Tooltip label={isOff ? hint : `${label} (Enter)`} disabled={!isOff && text.trim() === ""}>
          <ActionIcon
            type="submit"
            size={32}
            aria-label={label}
            loading={sent.isPending}
            disabled={isOff || text.trim() === ""}
          >
            {isNote ? <IconNote size={16} /> : <IconSend size={16} />}
          </ActionIcon>
        </Tooltip>
      </Group>
      <Text size="xs" c={sent.error ? "red" : "dimmed"} role="status" mt={4}>
        {sent.error && !fieldErrors(sent.error).text && !pictureProblem ? messageOf(sent.error) : hint}
      </Text>
    </form>
  );
}
