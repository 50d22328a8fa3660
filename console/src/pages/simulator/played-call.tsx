import { Button, Group, Text } from "@mantine/core";
import { messageOf } from "#api/error.ts";
import type { Args } from "#api/operations.ts";
import { useSend } from "#api/query.ts";
import { IconMicrophone, IconPhone, IconPhoneOff, IconRecordMail } from "#parts/icons/tabler.ts";
import { useLevelMeter } from "#parts/microphone/level-meter.tsx";
import { MuteButton } from "#parts/microphone/mute-button.tsx";
import type { HandsetCall } from "./feed.ts";
import { type HandsetLine, useHandsetLine } from "./handset-line.ts";
import styles from "./simulator.module.css";
import { TypedWords } from "./typed-words.tsx";

const STALE = ["GET /v1/simulator/handsets/:phone_number"] as const;

type Action = Args<"POST /v1/simulator/handsets/:phone_number/calls/:call">["body"];
type Act = (action: Action["action"]) => void;

/** A call that goes on and is played by hand: it is taken or not, and what is typed, or heard by the microphone, is said. */
export function PlayedCall({ call, phone, mayAct }: { call: HandsetCall; phone: string; mayAct: boolean }) {
  const send = useSend("POST /v1/simulator/handsets/:phone_number/calls/:call", STALE, { isShown: true });
  const { meter, onLevel } = useLevelMeter();
  const line = useHandsetLine(phone, call.carrier_id, onLevel);
  const params = { phone_number: phone, call: call.carrier_id };
  const act = (body: Action, onDone?: () => void) => {
    line.forget();
    send.mutate({ params, body }, onDone && { onSuccess: onDone });
  };
  const failure = line.failure ?? (send.error ? messageOf(send.error) : undefined);
  return (
    <div className={styles.played}>
      {call.said.map(({ by, text }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added at the end.
        <Text key={i} size="sm" className={styles.words}>
          <Text span inherit c="dimmed">
            {by === "agent" ? "Agent: " : "You: "}
          </Text>
          {text}
        </Text>
      ))}
      {line.phase === "talking" && meter}
      <Controls
        call={call}
        line={line}
        mayAct={mayAct}
        isOff={!mayAct || send.isPending}
        act={(action) => act({ action })}
        say={(text, onSaid) => act({ action: "speak", text }, onSaid)}
      />
      <Text size="xs" c={failure ? "red" : "dimmed"} role="status">
        {failure ?? wordsOf(call, line)}
      </Text>
    </div>
  );
}

/** What can be done with it now, by this page or without its microphone. */
function Controls({
  call: { stage, microphone },
  line,
  mayAct,
  isOff,
  act,
  say,
}: {
  call: HandsetCall;
  line: HandsetLine;
  mayAct: boolean;
  isOff: boolean;
  act: Act;
  say: (text: string, onSaid: () => void) => void;
}) {
  const hangUp = () => act("hang_up");
  if (line.phase === "calling" || line.phase === "talking") {
    return (
      <Group gap="xs">
        {line.phase === "talking" && <MuteButton size="xs" isMuted={line.isMuted} mute={line.mute} />}
        <HangUp isOff={false} hangUp={line.hangUp} />
      </Group>
    );
  }
  // What is spoken is not typed on.
  if (microphone === "in_use") return <HangUp isOff={isOff || line.phase === "ending"} hangUp={hangUp} />;
  if (stage === "ringing")
    return <Ringing act={act} take={microphone === "offered" ? line.take : undefined} isOff={isOff} />;
  return <TypedWords isOff={isOff} mayAct={mayAct} say={say} hangUp={hangUp} />;
}

function wordsOf({ stage, microphone }: HandsetCall, { phase, isMuted }: HandsetLine): string {
  if (phase === "calling") return "Taking the call";
  if (phase === "ending") return "Hanging up";
  if (phase === "talking") return isMuted ? "The agent does not hear you." : "You are on the line: speak.";
  if (microphone === "in_use") return phase === "none" ? "Somebody has taken it by a microphone." : "Hanging up";
  if (stage === "ringing") return "Do nothing, and it rings until the agent gives up.";
  return "The agent answers when it has heard you out.";
}

/** `take` answers by the microphone, where something can hear. */
function Ringing({ act, take, isOff }: { act: Act; take: (() => void) | undefined; isOff: boolean }) {
  return (
    <Group gap="xs">
      <Button size="xs" leftSection={<IconPhone size={14} />} disabled={isOff} onClick={() => act("answer")}>
        Answer
      </Button>
      {take && (
        <Button size="xs" variant="light" leftSection={<IconMicrophone size={14} />} disabled={isOff} onClick={take}>
          Answer and speak
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPhoneOff size={14} />}
        disabled={isOff}
        onClick={() => act("decline")}
      >
        Decline
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRecordMail size={14} />}
        disabled={isOff}
        onClick={() => act("voicemail")}
      >
        To voicemail
      </Button>
    </Group>
  );
}

function HangUp({ isOff, hangUp }: { isOff: boolean; hangUp: () => void }) {
  return (
    <Button
      size="xs"
      color="red"
      style={{ alignSelf: "flex-start" }}
      leftSection={<IconPhoneOff size={14} />}
      disabled={isOff}
      onClick={hangUp}
    >
      Hang up
    </Button>
  );
}
