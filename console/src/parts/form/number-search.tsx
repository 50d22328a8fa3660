import { CloseButton, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import { IconSearch } from "#parts/icons/tabler.ts";
import { useShortcuts, useShortcutsHere } from "#parts/keyboard/use-shortcuts.ts";

/** A number in a country's own form has ten digits: most lists are sought by whole numbers. */
export const WHOLE_DIGITS = 10;

/** The filter of a list by a phone number, whole or from so many `digits` on: `/` leads to it, Escape empties it. */
export function NumberSearch({
  value,
  onChange,
  digits = WHOLE_DIGITS,
}: {
  value: string | undefined;
  onChange: (value: string | null) => void;
  digits?: number;
}) {
  const [text, setText] = useState(value ?? "");
  const [shown, setShown] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ find: () => field.current?.focus() });
  // The filter was changed from outside: by "Show all", or by going back.
  if (value !== shown) {
    setShown(value);
    if (value !== undefined && value !== text.trim()) setText(value);
    if (value === undefined && text.replace(/\D/g, "").length >= digits) setText("");
  }
  const set = (next: string) => {
    setText(next);
    if (next.trim() === "") onChange(null);
    else if (next.replace(/\D/g, "").length >= digits) onChange(next.trim());
  };
  const onKeyDown = useShortcutsHere({ clear: () => set("") });
  return (
    <TextInput
      ref={field}
      w={{ base: "100%", xs: 240 }}
      type="search"
      aria-label="Find a phone number"
      placeholder={digits === WHOLE_DIGITS ? "Whole phone number" : "Some digits of a number"}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={text !== "" && <CloseButton size="sm" aria-label="Clear" onClick={() => set("")} />}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}
