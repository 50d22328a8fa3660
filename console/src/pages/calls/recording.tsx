import {
  ActionIcon,
  Alert,
  Box,
  Button,
  Group,
  Paper,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Tooltip,
} from "@mantine/core";
import { type KeyboardEvent, lazy, Suspense } from "react";
import { pathOf } from "#api/client.ts";
import { useAnswer } from "#api/query.ts";
import {
  IconDownload,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconRewindBackward5,
  IconRewindForward5,
} from "#parts/icons/tabler.ts";
import { useShortcuts } from "#parts/keyboard/use-shortcuts.ts";
import classes from "./calls.module.css";
import { clock, type Player, usePlaying, useSecond } from "./player.ts";

const Waveform = lazy(() => import("./waveform.tsx"));

const SKIP_S = 5;
const RATES = ["1", "1.5", "2"];
/** A key on one of these is its own. */
const OF_THEIR_OWN = ["INPUT", "TEXTAREA", "SELECT", "BUTTON", "A"];

/** The sound of a call: both sides drawn over time, played and sought in by mouse and by keyboard. */
export function Recording({ callId, player }: { callId: string; player: Player }) {
  const params = { call_id: callId };
  const waveform = useAnswer("GET /v1/voice/calls/:call_id/waveform", { params });
  const { isPlaying, rate, hasFailed } = usePlaying(player);
  useShortcuts(
    { play: () => player.toggle(), back: () => player.skip(-SKIP_S), ahead: () => player.skip(SKIP_S) },
    OF_THEIR_OWN,
  );
  return (
    <Paper p="md" component="section" aria-label="Recording">
      <Stack gap="sm">
        <Group gap="sm" wrap="nowrap" align="stretch">
          <Stack gap={0} justify="space-around" visibleFrom="xs" w={56} aria-hidden>
            <Text size="xs" c="dimmed">
              Contact
            </Text>
            <Text size="xs" c="dimmed">
              Agent
            </Text>
          </Stack>
          <Box flex={1} miw={0}>
            <Position player={player}>
              {waveform.data ? (
                <Suspense fallback={<Skeleton h={96} />}>
                  <Waveform player={player} contact={waveform.data.contact} agent={waveform.data.agent} />
                </Suspense>
              ) : waveform.error ? (
                <Text size="sm" c="dimmed" py="lg">
                  The waveform cannot be drawn: {waveform.error.message}
                </Text>
              ) : (
                <Skeleton h={96} />
              )}
            </Position>
          </Box>
        </Group>
        {hasFailed && (
          <Alert color="red" role="alert">
            The recording cannot be played. It may have been removed, or your browser does not know its form: download
            it.
          </Alert>
        )}
        <Group justify="space-between" gap="sm">
          <Group gap="xs">
            <Tooltip label="5 seconds back (←)">
              <ActionIcon variant="default" size={32} aria-label="5 seconds back" onClick={() => player.skip(-SKIP_S)}>
                <IconRewindBackward5 size={17} />
              </ActionIcon>
            </Tooltip>
            <Tooltip label={isPlaying ? "Pause (space)" : "Play (space)"}>
              <ActionIcon size={36} radius="xl" aria-label={isPlaying ? "Pause" : "Play"} onClick={player.toggle}>
                {isPlaying ? <IconPlayerPauseFilled size={17} /> : <IconPlayerPlayFilled size={17} />}
              </ActionIcon>
            </Tooltip>
            <Tooltip label="5 seconds on (→)">
              <ActionIcon variant="default" size={32} aria-label="5 seconds on" onClick={() => player.skip(SKIP_S)}>
                <IconRewindForward5 size={17} />
              </ActionIcon>
            </Tooltip>
            <TimeShown player={player} />
          </Group>
          <Group gap="xs">
            <SegmentedControl
              size="xs"
              aria-label="Speed"
              data={RATES.map((value) => ({ value, label: `${value}×` }))}
              value={String(rate)}
              onChange={(value) => {
                player.media.playbackRate = Number(value);
              }}
            />
            <Button
              component="a"
              href={pathOf("GET /v1/voice/calls/:call_id/recording", { params })}
              download
              variant="default"
              leftSection={<IconDownload size={15} />}
            >
              Download
            </Button>
          </Group>
        </Group>
      </Stack>
    </Paper>
  );
}

function TimeShown({ player }: { player: Player }) {
  return (
    <Text size="sm" c="dimmed" pl="xs">
      {clock(useSecond(player))} / {clock(player.lengthS)}
    </Text>
  );
}

/** What is drawn is a slider to the keyboard and to who cannot see it; the arrows are those of the whole page. */
function Position({ player, children }: { player: Player; children: React.ReactNode }) {
  const second = useSecond(player);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Home") player.seek(0);
    else if (event.key === "End") player.seek(player.lengthS);
    else return;
    event.preventDefault();
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      className={classes.position}
      aria-label="Position in the recording"
      aria-valuemin={0}
      aria-valuemax={Math.ceil(player.lengthS)}
      aria-valuenow={second}
      aria-valuetext={`${clock(second)} of ${clock(player.lengthS)}`}
      onKeyDown={onKeyDown}
    >
      {children}
    </div>
  );
}
