import { Alert, Box, Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { messageOf } from "#api/error.ts";
import type { Answer } from "#api/operations.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { IconHandStop } from "#parts/icons/tabler.ts";
import { Time } from "#parts/show/time.tsx";

type UnderWay = Answer<"POST /v1/sending/stop">["under_way"];

const SENDING = "GET /v1/sending";

/** Ends all sending and calling of the tenant, from any page; it asks once, and says what was under way. */
export function StopSending() {
  const mayStop = useCan("send", { tenantWide: true });
  const { data } = useAnswer(SENDING, {});
  const [isOpen, { open, close }] = useDisclosure(false);
  const [reason, setReason] = useState("");
  const stop = useSend("POST /v1/sending/stop", [SENDING], { isShown: true });
  if (!mayStop || (data?.sending.status === "stopped" && !isOpen)) return null;
  const stopped = stop.data?.under_way;
  const end = () => {
    close();
    setReason("");
    stop.reset();
  };
  return (
    <>
      {/* A telephone has no room for both words beside the mode. */}
      <Button
        size="compact-sm"
        color="red"
        variant="subtle"
        leftSection={<IconHandStop size={16} />}
        aria-label="Stop sending"
        onClick={open}
      >
        Stop
        <Box component="span" visibleFrom="xs">
          &nbsp;sending
        </Box>
      </Button>
      <Modal opened={isOpen} onClose={end} title={stopped ? "Everything is stopped" : "Stop all sending and calling?"}>
        {stopped ? (
          <Stack>
            <Text>{wordsOf(stopped)}</Text>
            <Group justify="flex-end">
              <Button onClick={end}>Close</Button>
            </Group>
          </Stack>
        ) : (
          <Stack>
            <Text>
              Within two seconds no text leaves any more and the calls that we placed are ended: campaigns, replies,
              follow-ups and callbacks of every organization. Nothing is lost; it waits until somebody resumes.
            </Text>
            <Textarea
              label="Reason"
              description="For whoever finds it stopped"
              maxLength={500}
              autosize
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            {stop.error && (
              <Text c="red" role="alert">
                {messageOf(stop.error)}
              </Text>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={end}>
                Cancel
              </Button>
              <Button
                color="red"
                loading={stop.isPending}
                onClick={() => stop.mutate({ body: reason.trim() ? { reason: reason.trim() } : {} })}
              >
                Stop everything
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}

/** What was under way, in a sentence or two. */
function wordsOf({ texts, calls }: UnderWay): string {
  const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
  const open = texts.in_flight + texts.uncertain;
  const ended = calls.dialled + calls.ongoing;
  return [
    texts.accepted > 0 ? `${count(texts.accepted, "text", "texts")} had just left.` : "No text had just left.",
    open > 0 ? `Of ${count(open, "text", "texts")} the carrier has not said yet whether they left.` : "",
    ended > 0 ? `${count(ended, "call is", "calls are")} ended.` : "No call was going on.",
  ]
    .filter(Boolean)
    .join(" ");
}

/** On every page while nothing is sent. */
export function StoppedBanner() {
  const mayResume = useCan("send", { tenantWide: true });
  const { data } = useAnswer(SENDING, {});
  const resume = useSend("POST /v1/sending/resume", [SENDING]);
  if (data?.sending.status !== "stopped") return null;
  const { stopped_at, reason } = data.sending;
  return (
    <Alert
      color="red"
      mx="md"
      mt="md"
      role="status"
      icon={<IconHandStop size={18} />}
      title="All sending and calling is stopped"
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          Since {stopped_at && <Time at={stopped_at} isReal />}
          {reason ? `: ${reason}` : "."} {mayResume ? "" : "An admin can resume it."}
        </Text>
        {mayResume && (
          <Button size="xs" color="red" loading={resume.isPending} onClick={() => resume.mutate({ body: {} })}>
            Resume
          </Button>
        )}
      </Group>
    </Alert>
  );
}
