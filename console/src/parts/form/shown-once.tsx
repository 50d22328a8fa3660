import { Code, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";

/** A secret that the API sends this once, to be copied: open while there is one. `children` say what it is for. */
export function ShownOnce({
  title,
  secret,
  copy,
  close,
  children,
}: {
  title: string;
  secret: string | undefined;
  /** What the button says. */
  copy: string;
  close: () => void;
  children: ReactNode;
}) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={close}
      title={title}
      closeOnClickOutside={false}
      // Over a drawer, from which it may have been made.
      zIndex={250}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        {children}
        <Code block style={{ whiteSpace: "pre-wrap", wordBreak: "break-all" }}>
          {secret}
        </Code>
        <Group justify="flex-end">
          <CopyButton text={secret ?? ""} label={copy} />
        </Group>
      </Stack>
    </Modal>
  );
}
