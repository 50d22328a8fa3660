import { NumberInput, type NumberInputProps } from "@mantine/core";
import type { Amount } from "./draft.ts";

/** A number that is left to its default while it is empty. */
export function AmountField({
  value,
  onChange,
  ...props
}: Omit<NumberInputProps, "value" | "onChange"> & { value: Amount; onChange: (value: Amount) => void }) {
  return (
    <NumberInput
      value={value}
      onChange={(given) => onChange(typeof given === "number" ? given : given === "" ? "" : Number(given))}
      placeholder="Default"
      // What is out of range is for the API to refuse, by name.
      clampBehavior="none"
      {...props}
    />
  );
}
