import { NumberInput, PasswordInput, Select, Switch, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { Field, Values } from "./kinds.ts";

/** The fields of an account, each at its name in the API: what the API says of one is shown there. */
export function KindFields<Form extends Record<string, unknown>>({
  form,
  at,
  fields,
}: {
  form: UseFormReturnType<Form>;
  /** The part of the form that they are in. */
  at: "credentials" | "settings";
  fields: readonly Field[];
}) {
  return fields.map((field) => (
    <OneField key={field.name} field={field} props={form.getInputProps(`${at}.${field.name}`)} />
  ));
}

type Props = { value?: unknown; onChange: (value: never) => void };

function OneField({ field, props }: { field: Field; props: Props }) {
  const { label, description, placeholder, isSecret, isRequired, type } = field;
  const of = { label, description, placeholder, required: isRequired, autoComplete: "off", ...props } as object;
  if (type === "switch") {
    const { value, onChange } = props;
    return (
      <Switch
        label={label}
        description={description}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked as never)}
      />
    );
  }
  if (type === "number") return <NumberInput {...of} hideControls allowNegative={false} thousandSeparator="" />;
  if (type === "list" || type === "block") return <Textarea {...of} autosize minRows={2} maxRows={8} />;
  if (typeof type === "object") {
    const { value, onChange } = props;
    return (
      <Select
        {...of}
        clearable
        clearButtonProps={{ "aria-label": `Clear ${label}` }}
        placeholder="As it is usual"
        data={[...type.choices]}
        value={value === "" ? null : String(value)}
        onChange={(next) => onChange((next ?? "") as never)}
      />
    );
  }
  if (isSecret) return <PasswordInput {...of} autoComplete="new-password" />;
  return <TextInput {...of} />;
}

export type AccountForm = { name: string; credentials: Values; settings: Values };
