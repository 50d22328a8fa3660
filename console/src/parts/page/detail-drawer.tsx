import { Drawer, ScrollArea } from "@mantine/core";
import type { ReactNode } from "react";

/** The detail of a row beside its list; all of a small screen. Escape closes it, and the focus goes back to the row. */
export function DetailDrawer({
  title,
  isOpen,
  close,
  children,
}: {
  title: ReactNode;
  isOpen: boolean;
  close: () => void;
  children: ReactNode;
}) {
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      title={title}
      size="min(36rem, 100%)"
      scrollAreaComponent={ScrollArea.Autosize}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {children}
    </Drawer>
  );
}
