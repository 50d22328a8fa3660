import { Text, Textarea, type TextareaProps } from "@mantine/core";
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { type TemplateFields, unknownIn } from "#parts/form/template-fields.ts";
import { IconAlertTriangle } from "#parts/icons/tabler.ts";
import classes from "./agents.module.css";

const MOST = 8;
/** The name that is being written: what stands between an open `{{` and the caret, unless a fallback has begun. */
function begunIn(text: string): string | undefined {
  const open = text.lastIndexOf("{{");
  const inside = text.slice(open + 2).trimStart();
  return open < 0 || /[{}|\n]/.test(inside) ? undefined : inside;
}

/**
 * A text with the contact's fields as {{name}}: typing `{{` offers them, arrows choose, Enter or Tab takes one. What no contact has is
 * warned of.
 */
export function TemplateField({
  value,
  onChange,
  variables,
  ...props
}: Omit<TextareaProps, "value" | "onChange"> & {
  value: string;
  onChange: (value: string) => void;
  variables: TemplateFields;
}) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const caret = useRef<number>(undefined);
  const [begun, setBegun] = useState<{ from: number; word: string }>();
  const [active, setActive] = useState(0);
  const choices =
    begun === undefined
      ? []
      : variables.all.filter(({ name }) => name.toLowerCase().includes(begun.word.trim().toLowerCase())).slice(0, MOST);
  const isOpen = choices.length > 0;
  const unknown = unknownIn(value, variables);

  // React puts the caret at the end of what is set from outside.
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    box.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });

  const look = ({ value: text, selectionStart }: HTMLTextAreaElement) => {
    const word = begunIn(text.slice(0, selectionStart));
    setBegun(word === undefined ? undefined : { from: selectionStart - word.length, word });
    setActive(0);
  };
  const take = (name: string) => {
    const text = box.current!;
    const rest = text.value.slice(text.selectionStart).replace(/^\s*\}\}/, "");
    const end = /^\s*\|/.test(rest) ? "" : "}}";
    caret.current = begun!.from + name.length + end.length;
    onChange(`${text.value.slice(0, begun!.from)}${name}${end}${rest}`);
    setBegun(undefined);
    text.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    const move = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (move !== 0) setActive((active + move + choices.length) % choices.length);
    else if (event.key === "Enter" || event.key === "Tab") take(choices[active]!.name);
    else if (event.key === "Escape") setBegun(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className={classes.template}>
      <Textarea
        ref={box}
        autosize
        minRows={2}
        maxRows={20}
        value={value}
        onChange={(event) => {
          onChange(event.currentTarget.value);
          look(event.currentTarget);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setBegun(undefined)}
        aria-autocomplete="list"
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={isOpen ? `${id}-${active}` : undefined}
        {...props}
      />
      {isOpen && (
        <div className={classes.choices} id={id} role="listbox" aria-label="Fields of contacts" tabIndex={-1}>
          {choices.map(({ name, example }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys.
            <div
              key={name}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={classes.choice}
              // The field would lose the focus, and the list with it.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(name)}
            >
              <code>{`{{${name}}}`}</code>
              <Text span size="sm" c="dimmed" truncate>
                {example}
              </Text>
            </div>
          ))}
        </div>
      )}
      {unknown.map((name) => (
        <Text key={name} size="sm" mt={4} role="status">
          <IconAlertTriangle size={14} aria-hidden style={{ verticalAlign: "-2px" }} /> None of the newest contacts has
          a field called {name}. Who lacks it gets no such text; {`{{${name}|...}}`} would have other words for them.
        </Text>
      ))}
    </div>
  );
}
