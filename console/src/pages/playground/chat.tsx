import { Alert, Button, Group, Loader, Text, Textarea, UnstyledButton } from "@mantine/core";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import classes from "./playground.module.css";
import { actionWords, type Line } from "./turn.ts";

const MAX_TEXT = 1600;

/** The conversation, and where the contact's next words are written. Enter sends, Shift+Enter begins a line. */
export function Chat({
  agent,
  lines,
  isBusy,
  isOver,
  failure,
  picked,
  onPick,
  onSay,
}: {
  agent: { agent_name: string; agent_type: "sms" | "voice" };
  lines: readonly Line[];
  isBusy: boolean;
  isOver: boolean;
  failure: string | undefined;
  /** The line whose turn is looked at. */
  picked: number | undefined;
  onPick: (index: number) => void;
  /** Whether it was answered; else the words are still there to be said again. */
  onSay: (text: string) => Promise<boolean>;
}) {
  const [text, setText] = useState("");
  const end = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new is at the end.
  useEffect(() => {
    const box = end.current?.parentElement;
    box?.scrollTo({ top: box.scrollHeight });
  }, [lines, isBusy]);

  const say = async () => {
    const said = text.trim();
    if (said === "" || isBusy) return;
    setText("");
    if (!(await onSay(said))) setText(said);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void say();
  };

  return (
    <div className={classes.chat}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard. */}
      <div className={classes.lines} role="log" aria-label="What was said" tabIndex={0}>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line's place is its name.
          <Said key={index} line={line} isPicked={index === picked} onPick={() => onPick(index)} agent={agent} />
        ))}
        {isBusy && (
          <Group gap="xs" role="status">
            <Loader size="xs" type="dots" />
            <Text size="sm" c="dimmed">
              {agent.agent_name} is thinking
            </Text>
          </Group>
        )}
        <div ref={end} />
      </div>
      <div className={classes.write}>
        {failure && (
          <Alert color="red" role="alert" mb="sm" py="xs">
            {failure}
          </Alert>
        )}
        {isOver && (
          <Text size="sm" c="dimmed" mb="xs">
            {agent.agent_type === "sms"
              ? "In a real conversation nothing more would be sent."
              : "In a real call the line would be closed now."}{" "}
            Start again to try something else.
          </Text>
        )}
        <Group align="end" gap="sm" wrap="nowrap">
          <Textarea
            aria-label="What the contact says"
            placeholder={agent.agent_type === "sms" ? "Text as the contact" : "Speak as the contact, in words"}
            autosize
            minRows={1}
            maxRows={6}
            maxLength={MAX_TEXT}
            flex={1}
            disabled={isOver}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <Button onClick={say} disabled={isOver || isBusy || text.trim() === ""}>
            Send
          </Button>
        </Group>
      </div>
    </div>
  );
}

function Said({
  line: { role, text, turn },
  isPicked,
  onPick,
  agent,
}: {
  line: Line;
  isPicked: boolean;
  onPick: () => void;
  agent: { agent_name: string };
}) {
  if (turn === undefined) {
    return (
      <div className={classes.line} data-role={role}>
        <div className={classes.bubble}>{text}</div>
      </div>
    );
  }
  return (
    <div className={classes.line} data-role={role}>
      <UnstyledButton
        className={classes.bubble}
        aria-pressed={isPicked}
        title="Show how it came to this"
        onClick={onPick}
      >
        {text ?? (
          <Text span inherit c="dimmed" fs="italic">
            {agent.agent_name} says nothing.
          </Text>
        )}
      </UnstyledButton>
      {turn.actions.map((action) => (
        <Text key={action.type} size="xs" c="dimmed" mt={2}>
          {actionWords(action)}
        </Text>
      ))}
    </div>
  );
}
