import { Button, Group, Paper, Text, Textarea, Title, Tooltip } from "@mantine/core";
import { useState } from "react";
import { fieldErrors, messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { IconPhoneOff } from "#parts/icons/tabler.ts";
import type { Call } from "./call.tsx";
import { nameOf } from "./other-side.ts";

const MAX_TEXT = 2_000;
const NOT_ALLOWED = "Your permission does not include steering calls";

/** Hangs up, or does not dial at all. */
export function StopCall({ call }: { call: Call }) {
  const maySend = useCan("send", { byAgents: true });
  const stop = useSend("POST /v1/voice/calls/:call_id/stop", ["GET /v1/voice/calls/:call_id", "GET /v1/voice/calls"]);
  if (!maySend) {
    return (
      <Tooltip label={NOT_ALLOWED}>
        <Button
          variant="default"
          data-disabled
          leftSection={<IconPhoneOff size={15} />}
          onClick={(e) => e.preventDefault()}
        >
          Stop call
        </Button>
      </Tooltip>
    );
  }
  if (call.stop_requested_at !== null) {
    return (
      <Button variant="default" loading>
        Stop call
      </Button>
    );
  }
  return (
    <ConfirmButton
      leftSection={<IconPhoneOff size={15} />}
      title="Stop this call?"
      text={
        call.dialed_at === null
          ? `${nameOf(call)} will not be called.`
          : "The agent is cut off and the line is hung up, within a second or so."
      }
      confirm="Stop call"
      onConfirm={() => stop.mutateAsync({ params: { call_id: call.call_id } })}
    >
      Stop call
    </ConfirmButton>
  );
}

/** Something for the agent to take in while it speaks: the contact does not hear it. */
export function Inject({ call }: { call: Call }) {
  const maySend = useCan("send", { byAgents: true });
  const inject = useSend("POST /v1/voice/calls/:call_id/inject", [], { isShown: true });
  const [text, setText] = useState("");
  const send = () =>
    inject.mutate({ params: { call_id: call.call_id }, body: { text } }, { onSuccess: () => setText("") });
  if (!maySend) return null;
  return (
    <Paper p="md" component="section" aria-label="Instruct the agent">
      <Title order={2}>Instruct the agent</Title>
      <Text size="sm" c="dimmed" mt={2} mb="sm">
        The agent takes it in at its next turn. The contact does not hear it.
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Group align="flex-start" gap="sm">
          <Textarea
            flex="1 1 16rem"
            autosize
            minRows={1}
            maxRows={5}
            maxLength={MAX_TEXT}
            aria-label="What the agent should know"
            placeholder="Offer them Tuesday at 3 pm"
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              inject.reset();
            }}
            error={inject.error ? (fieldErrors(inject.error).text ?? messageOf(inject.error)) : undefined}
          />
          <Button type="submit" loading={inject.isPending} disabled={text.trim() === ""}>
            Send instruction
          </Button>
        </Group>
        <Text size="sm" role="status" mt={inject.isSuccess ? "xs" : 0}>
          {inject.isSuccess ? "The agent is given it at its next turn." : ""}
        </Text>
      </form>
    </Paper>
  );
}
