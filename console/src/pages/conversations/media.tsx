import { Anchor, Modal, Text } from "@mantine/core";
import { useState } from "react";
import { pathOf } from "#api/client.ts";
import styles from "./conversations.module.css";
import type { Message } from "./said.ts";

type Media = Message["media"][number];

/** What a browser draws; everything else is a file to be saved. */
const DRAWN = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** What came with a text, or went with it. */
export function MediaOf({ message }: { message: Message }) {
  return message.media.map((media, i) => <One key={media.media_id ?? media.url} media={media} n={i + 1} />);
}

function One({ media, n }: { media: Media; n: number }) {
  const [isOpen, setOpen] = useState(false);
  if (media.status === "sent") {
    return (
      <Anchor href={media.url!} target="_blank" rel="noopener noreferrer" size="sm" display="block" underline="always">
        Picture: {media.url}
      </Anchor>
    );
  }
  if (media.media_id === null || media.status !== "kept") {
    return (
      <Text size="sm" c="dimmed">
        {media.status === "failed"
          ? `A file that is not here. ${media.problem}.`
          : `A file is being fetched. ${media.problem === null ? "" : `${media.problem}; it is tried again.`}`}
      </Text>
    );
  }
  const path = pathOf("GET /v1/media/:media_id", { params: { media_id: media.media_id } });
  if (!DRAWN.has(media.content_type ?? "")) {
    return (
      <Anchor href={path} download size="sm" display="block" underline="always">
        {nameOf(media, n)}
      </Anchor>
    );
  }
  const what = `Picture ${n} from the contact`;
  return (
    <>
      <button type="button" className={styles.picture} onClick={() => setOpen(true)} aria-label={`Open ${what}`}>
        <img src={path} alt={what} loading="lazy" />
      </button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={what} size="auto" centered>
        <img src={path} alt={what} className={styles.whole} />
      </Modal>
    </>
  );
}

function nameOf({ content_type, bytes }: Media, n: number): string {
  const kilobytes = Math.max(1, Math.round((bytes ?? 0) / 1024));
  return `File ${n}: ${content_type ?? "of an unknown type"}, ${kilobytes} kB`;
}
