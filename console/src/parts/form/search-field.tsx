import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { IconSearch } from "#parts/icons/tabler.ts";
import { useShortcuts, useShortcutsHere } from "#parts/keyboard/use-shortcuts.ts";

/** Nothing is asked while somebody types. */
const PAUSE_MS = 250;

/** The search of a list: `/` leads to it unless it is a second one, Escape empties it, and what is typed counts after a short pause. */
export function SearchField({
  label,
  placeholder,
  value,
  onChange,
  isSecond = false,
}: {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string | null) => void;
  isSecond?: boolean;
}) {
  const [text, setText] = useState(value ?? "");
  const field = useRef<HTMLInputElement>(null);
  const change = useDebouncedCallback(onChange, PAUSE_MS);
  useShortcuts(isSecond ? {} : { find: () => field.current?.focus() });
  // Changed from outside, by "Show all" or by going back; whoever is typing goes on.
  useEffect(() => {
    if (document.activeElement !== field.current) setText(value ?? "");
  }, [value]);
  const set = (next: string) => {
    setText(next);
    change(next.trim() || null);
  };
  const onKeyDown = useShortcutsHere({ clear: () => set("") });
  return (
    <TextInput
      ref={field}
      w={{ base: "100%", xs: isSecond ? 160 : 280 }}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={text !== "" && <CloseButton size="sm" aria-label="Clear the search" onClick={() => set("")} />}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}
