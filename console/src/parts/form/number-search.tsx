import { CloseButton, TextInput } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useRef, useState } from "react";

/** A number in a country's own form has ten digits; the API looks for whole numbers. */
const DIGITS = 10;

/** The filter of a list by a whole phone number: `/` leads to it, Escape empties it. */
export function NumberSearch({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (value: string | null) => void;
}) {
  const [text, setText] = useState(value ?? "");
  const [shown, setShown] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([["/", () => field.current?.focus()]]);
  // The filter was changed from outside: by "Show all", or by going back.
  if (value !== shown) {
    setShown(value);
    if (value !== undefined && value !== text.trim()) setText(value);
    if (value === undefined && text.replace(/\D/g, "").length >= DIGITS) setText("");
  }
  const set = (next: string) => {
    setText(next);
    if (next.trim() === "") onChange(null);
    else if (next.replace(/\D/g, "").length >= DIGITS) onChange(next.trim());
  };
  return (
    <TextInput
      ref={field}
      w={{ base: "100%", xs: 240 }}
      type="search"
      aria-label="Find a phone number"
      placeholder="Search phone number"
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={text !== "" && <CloseButton size="sm" aria-label="Clear" onClick={() => set("")} />}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Escape" && set("")}
    />
  );
}
