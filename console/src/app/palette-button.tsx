import { Kbd, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { IconSearch } from "#parts/icons/tabler.ts";
import { useShortcuts } from "#parts/keyboard/use-shortcuts.ts";

/** The palette is a chunk of its own: it is loaded when it is first wanted. */
const Palette = lazy(() => import("./palette.tsx"));

export function PaletteButton() {
  const [opened, setOpened] = useState(0);
  const open = () => setOpened((times) => times + 1);
  useShortcuts({ search: open }, []);
  return (
    <>
      <UnstyledButton className="parley-search" onClick={open} aria-keyshortcuts="Control+K">
        <IconSearch size={15} aria-hidden />
        <Text span size="sm" visibleFrom="xs">
          Search
        </Text>
        <VisuallyHidden>Search pages, campaigns, agents, contacts and conversations</VisuallyHidden>
        <Kbd size="xs" visibleFrom="sm">
          Ctrl K
        </Kbd>
      </UnstyledButton>
      {opened > 0 && (
        <Suspense>
          <Palette opened={opened} />
        </Suspense>
      )}
    </>
  );
}
