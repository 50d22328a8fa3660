import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { IconPhone, IconPhoneOff } from "#parts/icons/tabler.ts";
import { useLevelMeter } from "#parts/microphone/level-meter.tsx";
import { MuteButton } from "#parts/microphone/mute-button.tsx";
import { clock } from "#parts/show/figures.tsx";
import { CallResult } from "./call-result.tsx";
import classes from "./playground.module.css";
import { type CallStart, type CallState, type Utterance, useSpokenCall } from "./spoken-call.ts";
import type { Turn } from "./turn.ts";

/** A call with the agent, by the browser's microphone. */
export function Call({
  agent,
  start,
  onFindings,
}: {
  agent: { agent_name: string };
  start: CallStart;
  onFindings: (extraction: Turn["extraction"]) => void;
}) {
  const { meter, onLevel } = useLevelMeter();
  const { state, call, mute, hangUp } = useSpokenCall({ onLevel, onFindings });
  const { phase, isMuted, utterances, failure, end, isFinding } = state;
  const isOn = phase === "calling" || phase === "talking";
  return (
    <div className={classes.chat}>
      <Transcript utterances={utterances} />
      <Stack className={classes.write} gap="sm">
        {failure && (
          <Alert color="red" role="alert" py="xs">
            {failure}
          </Alert>
        )}
        {end && <CallResult end={end} isFinding={isFinding} />}
        <Group gap="sm" justify="space-between">
          <Text size="sm" c="dimmed" role="status">
            {wordsOf(state, agent.agent_name)}
          </Text>
          {phase === "talking" && <Elapsed since={state.startedAt} />}
        </Group>
        {phase === "talking" && meter}
        <Group gap="sm">
          {phase === "talking" && <MuteButton isMuted={isMuted} mute={mute} />}
          {isOn ? (
            <Button color="red" leftSection={<IconPhoneOff size={15} />} onClick={hangUp}>
              Hang up
            </Button>
          ) : (
            <Button
              leftSection={<IconPhone size={15} />}
              disabled={phase === "ending"}
              onClick={() => call(start)}
            >{`Call ${agent.agent_name}`}</Button>
          )}
        </Group>
      </Stack>
    </div>
  );
}

function wordsOf({ phase, isMuted }: CallState, name: string): string {
  switch (phase) {
    case "none":
      return "You speak as the contact, by the microphone of this device.";
    case "calling":
      return `Calling ${name}`;
    case "talking":
      return isMuted ? `${name} does not hear you` : `On the line with ${name}`;
    case "ending":
      return "Hanging up";
    case "over":
      return "The call is over.";
  }
}

function Transcript({ utterances }: { utterances: readonly Utterance[] }) {
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new is at the end.
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [utterances]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard.
    <div ref={box} className={classes.lines} role="log" aria-label="What was said" tabIndex={0}>
      {utterances.map(({ role, text, interrupted, start_ms }) => (
        <div key={`${role} ${start_ms}`} className={classes.line} data-role={role === "agent" ? "agent" : "contact"}>
          <div className={classes.bubble}>{text}</div>
          {interrupted && (
            <Text size="xs" c="dimmed" mt={2}>
              cut off
            </Text>
          )}
        </div>
      ))}
    </div>
  );
}

function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Text size="sm" role="timer" aria-label="Time on the line">
      {clock(Math.floor((now - since) / 1_000))}
    </Text>
  );
}
