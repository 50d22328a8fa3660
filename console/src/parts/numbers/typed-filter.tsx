import { TextInput } from "@mantine/core";
import { type RefObject, useState } from "react";
import { IconSearch } from "#parts/icons/tabler.ts";
import { useShortcutsHere } from "#parts/keyboard/use-shortcuts.ts";

/** A filter that is typed: the URL follows what is in the field, never the other way while somebody types. Escape empties it. */
export function TypedFilter({
  field,
  label,
  placeholder,
  inputMode,
  value,
  onChange,
}: {
  field?: RefObject<HTMLInputElement | null>;
  label: string;
  placeholder: string;
  inputMode?: "numeric";
  value: string;
  onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const set = (next: string) => {
    setText(next);
    onChange(next);
  };
  const onKeyDown = useShortcutsHere({ clear: () => set("") });
  return (
    <TextInput
      ref={field}
      type="search"
      inputMode={inputMode}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={15} aria-hidden />}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}
